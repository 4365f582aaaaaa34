"""Secrets that can be told by their own shape: the keys and tokens of common vendors.

Every pattern is for RE2: no look-around, no back references, linear time on any text. A kind whose
letters might also be ordinary words is checked for a digit after it matched.
"""

from __future__ import annotations

_WORD = "[A-Za-z0-9_-]"
_ALNUM = "[A-Za-z0-9]"
_HEX = "[0-9a-fA-F]"
_BASE64 = "[A-Za-z0-9+/]"

# Specific kinds come before general ones that would match as well.
VENDORS: tuple[tuple[str, str], ...] = (
    ("Anthropic key", rf"\bsk-ant-{_WORD}{{16,}}"),
    ("OpenRouter key", rf"\bsk-or-(?:v[0-9]-)?{_ALNUM}{{24,}}"),
    ("OpenAI key", rf"\bsk-(?:proj-|svcacct-|admin-|None-)?{_WORD}{{18,}}"),
    ("Stripe key", rf"\b[srp]k_(?:live|test|prod)_{_ALNUM}{{10,}}"),
    ("Stripe webhook secret", rf"\bwhsec_{_BASE64}{{24,}}={{0,2}}"),
    ("AWS access key", r"\b(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA|AIPA|ANPA|ANVA|AGPA)[A-Z0-9]{16}\b"),
    ("GitHub token", rf"\bgh[pousr]_{_ALNUM}{{30,}}"),
    ("GitHub token", rf"\bgithub_pat_{_ALNUM}{{20,}}_?{_ALNUM}*"),
    ("GitLab token", rf"\bgl(?:pat|dt|rt|oas|cbt|ptt|ft|imt|agent|soat)-{_WORD}{{18,}}"),
    ("Slack token", rf"\bxox[abceoprs](?:\.xox[bp])?-{_WORD}{{10,}}"),
    ("Slack token", rf"\bxapp-[0-9]-{_WORD}{{20,}}"),
    ("Slack webhook", r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,}"),
    ("Discord webhook", rf"discord(?:app)?\.com/api/webhooks/[0-9]+/{_WORD}{{30,}}"),
    ("Discord token", rf"\b[MNO][A-Za-z0-9_-]{{22,27}}\.{_WORD}{{6}}\.{_WORD}{{27,}}"),
    ("Google API key", rf"\bAIza{_WORD}{{35}}"),
    ("Google OAuth secret", rf"\bGOCSPX-{_WORD}{{20,}}"),
    ("Google OAuth token", r"\bya29\.[A-Za-z0-9_.-]{20,}"),
    ("Google refresh token", rf"\b1//0{_WORD}{{30,}}"),
    ("npm token", rf"\bnpm_{_ALNUM}{{30,}}"),
    ("PyPI token", rf"\bpypi-AgE{_WORD}{{40,}}"),
    ("RubyGems key", rf"\brubygems_{_HEX}{{40,}}"),
    ("Crates token", rf"\bcio[a-z]?{_ALNUM}{{32}}\b"),
    ("Hugging Face token", rf"\b(?:hf|api_org)_{_ALNUM}{{28,}}"),
    ("SendGrid key", rf"\bSG\.{_WORD}{{16,}}\.{_WORD}{{30,}}"),
    ("Mailgun key", rf"\bkey-{_HEX}{{32}}\b"),
    ("Mailchimp key", rf"\b{_HEX}{{32}}-us[0-9]{{1,2}}\b"),
    ("Twilio key", rf"\b(?:SK|AC){_HEX}{{32}}\b"),
    ("Telegram bot token", rf"\b[0-9]{{8,10}}:AA{_WORD}{{32,34}}"),
    ("Shopify token", rf"\bshp(?:at|ca|pa|ss)_{_HEX}{{32}}"),
    ("Square token", rf"\b(?:sq0(?:atp|csp|idp)-{_WORD}{{20,}}|EAAA{_WORD}{{56,}})"),
    ("PayPal token", rf"\baccess_token\$(?:production|sandbox)\$[a-z0-9]+\${_HEX}{{32}}"),
    ("Facebook token", rf"\bEAA[A-Za-z]{_ALNUM}{{60,}}"),
    ("DigitalOcean token", rf"\bdo[opr]_v1_{_HEX}{{60,}}"),
    ("Databricks token", rf"\bdapi{_HEX}{{32}}(?:-[0-9])?"),
    ("Linear key", rf"\blin_(?:api|oauth)_{_ALNUM}{{30,}}"),
    ("Notion token", rf"\b(?:ntn_{_ALNUM}{{40,}}|secret_{_ALNUM}{{43}})"),
    ("Figma token", rf"\bfig[dor]_{_WORD}{{30,}}"),
    ("Airtable token", rf"\bpat{_ALNUM}{{14}}\.{_HEX}{{60,}}"),
    ("Asana token", r"\b[0-9]/[0-9]{14,}(?:/[0-9]{14,})?:[0-9a-f]{32}\b"),
    ("Atlassian token", rf"\bAT(?:ATT3|CTT3|BB){_WORD}{{20,}}(?:=[0-9A-F]{{8}})?"),
    ("Heroku key", rf"\bHRKU-{_WORD}{{30,}}"),
    ("Vercel token", rf"\bvercel_blob_rw_{_WORD}{{20,}}"),
    ("Netlify token", rf"\bnf[pcobu]_{_ALNUM}{{30,}}"),
    ("Supabase key", rf"\b(?:sbp_{_HEX}{{36,}}|sb_secret_{_WORD}{{20,}})"),
    ("PlanetScale token", r"\bpscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{30,}"),
    ("Fly.io token", r"\b(?:FlyV1 fm[12]_|fo1_)[A-Za-z0-9_+/=,-]{30,}"),
    ("Doppler token", rf"\bdp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]+\.)?{_ALNUM}{{38,}}"),
    ("Vault token", rf"\bhv[sbr]\.{_WORD}{{24,}}"),
    ("Terraform token", rf"\b{_ALNUM}{{14}}\.atlasv1\.{_WORD}{{50,}}"),
    ("Pulumi token", rf"\bpul-{_HEX}{{40}}\b"),
    ("Docker token", rf"\bdckr_(?:pat|oat)_{_WORD}{{20,}}"),
    ("Grafana token", r"\bgl(?:sa|c)_[A-Za-z0-9+/_=-]{30,}"),
    ("New Relic key", rf"\b(?:NRAK|NRAA|NRII|NRIQ|NRJS|NRRA)-{_WORD}{{20,}}"),
    ("Datadog key", rf"\bdd(?:api|app|p)_{_ALNUM}{{32,}}"),
    ("Sentry token", r"\bsntry[su]_[A-Za-z0-9_=+/-]{40,}"),
    ("Postman key", rf"\bPMAK-{_HEX}{{24}}-{_HEX}{{34}}"),
    ("Groq key", rf"\bgsk_{_ALNUM}{{40,}}"),
    ("Perplexity key", rf"\bpplx-{_ALNUM}{{40,}}"),
    ("Replicate token", rf"\br8_{_ALNUM}{{30,}}"),
    ("xAI key", rf"\bxai-{_ALNUM}{{60,}}"),
    ("Fireworks key", rf"\bfw_{_ALNUM}{{20,}}"),
    ("Voyage key", rf"\bpa-{_WORD}{{36,}}"),
    ("Cohere key", rf"\bco_{_ALNUM}{{36,}}"),
    ("Tavily key", rf"\btvly-{_WORD}{{24,}}"),
    ("Mem0 key", rf"\bm0-{_ALNUM}{{30,}}"),
    ("Alibaba key", rf"\bLTAI{_ALNUM}{{16,24}}\b"),
    ("Tencent key", rf"\bAKID{_ALNUM}{{28,36}}\b"),
    ("Adyen key", r"\bAQE[a-z][A-Za-z0-9+/=._-]{50,}"),
    ("Dynatrace token", r"\bdt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{60,}"),
    ("1Password token", rf"\bops_eyJ{_WORD}{{80,}}"),
    ("age key", r"\bAGE-SECRET-KEY-1[0-9A-Z]{50,}"),
    ("JWT", rf"\beyJ{_WORD}{{8,}}\.{_WORD}{{8,}}\.{_WORD}*"),
    ("PuTTY private key", r"Private-Lines: [0-9]+\s[A-Za-z0-9+/=\s]+"),
)

# Kinds whose prefix also starts ordinary names, such as CSS classes and package names.
NEED_DIGIT = frozenset(
    {
        "OpenAI key",
        "Fireworks key",
        "Cohere key",
        "npm token",
        "Voyage key",
        "Slack token",
        "Crates token",
        "Figma token",
        "Vercel token",
        "Tavily key",
        "Vault token",
        "Docker token",
        "Notion token",
        "Hugging Face token",
        "Stripe key",
        "Atlassian token",
        "Mem0 key",
        "Grafana token",
        "GitLab token",
        "Facebook token",
    }
)

# A private key runs from its first line to its last, or, in a cut text, to the end of its letters.
PEM_BEGIN = r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
PEM_END = r"-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
PEM_BODY = r"(?:[A-Za-z0-9+/=:,.\s]|\\[nr]|Proc-Type|DEK-Info|AES-[0-9]+-CBC)*"
PEM_REST = rf"(?:[A-Za-z0-9+/=]{{16,}}(?:\s|\\[nr])+)+{PEM_END}"

# What a message must hold to be looked at closely: some literal of each kind above. Matched on the
# text without its line breaks, so it need not care about them.
PREFIXES = (
    r"sk-|[srp]k_(?:live|test|prod)_|whsec_|A(?:KIA|SIA|BIA|CCA|ROA|IDA|IPA|NPA|NVA|GPA)|gh[pousr]_"
    r"|github_pat_|gl(?:pat|dt|rt|oas|cbt|ptt|ft|imt|agent|soat)-|xox[abceoprs]|xapp-|hooks\.slack"
    rf"|/webhooks/|[MNO]{_WORD}{{22,27}}\.{_WORD}{{6}}\.|AIza|GOCSPX-|ya29\.|1//0|npm_|pypi-AgE"
    rf"|rubygems_|cio[a-z]?{_ALNUM}{{32}}|(?:hf|api_org)_|SG\.|key-{_HEX}|-us[0-9]|(?:SK|AC){_HEX}{{32}}"
    r"|:AA|shp(?:at|ca|pa|ss)_|sq0|EAA|access_token|do[opr]_v1_|dapi[0-9a-f]|lin_(?:api|oauth)_|ntn_"
    rf"|secret_|fig[dor]_|pat{_ALNUM}{{14}}\.|[0-9]/[0-9]{{14}}|AT(?:ATT3|CTT3|BB)|HRKU-|vercel_"
    r"|nf[pcobu]_|sbp_|sb_secret_|pscale_|FlyV1|fo1_|dp\.|hv[sbr]\.|\.atlasv1\.|pul-|dckr_|gl(?:sa|c)_"
    r"|NR[AIJR][AIKQSR]-|dd(?:api|app|p)_|sntry[su]_|PMAK-|gsk_|pplx-|r8_|xai-|fw_|pa-|co_|tvly-|m0-"
    r"|LTAI|AKID|AQE|dt0|ops_eyJ|AGE-SECRET|eyJ|PRIVATE KEY|Private-Lines"
)
