// The door: a browser that was let in before needs no new link.
"use strict";
let secret = null;
try { secret = JSON.parse(localStorage.getItem("memdown-pair")); } catch { /* storage is forbidden */ }
if (secret) {
  fetch("/pair", { method: "POST", body: JSON.stringify({ secret }) }).then((answer) => {
    if (answer.ok) location.reload();
    else if (answer.status === 401) localStorage.removeItem("memdown-pair");
  }).catch(() => {});
}
