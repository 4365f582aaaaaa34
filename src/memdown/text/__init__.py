from memdown.text.scripts import *
from memdown.text.terms import *
from memdown.text.queries import *
