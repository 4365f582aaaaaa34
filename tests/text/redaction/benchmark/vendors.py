"""Tokens that are told by their own shape, and the settings they are usually kept in."""

from __future__ import annotations

from random import Random

from text.redaction.benchmark.parts import (
    ALNUM,
    B64,
    BASE32,
    BASE58,
    HEX,
    LOWER,
    UPPER,
    URL,
    Make,
    chars,
    jwt,
    number,
    of,
    uuid,
)


def _slack(kind: str) -> Make:
    return lambda r: f"xox{kind}-{number(r, 12)}-{number(r, 13)}-{chars(r, 24)}"


def _slack_hook(r: Random) -> str:
    place = f"T{chars(r, 10, UPPER)}/B{chars(r, 10, UPPER)}/{chars(r, 24)}"
    return "https://hooks." + "slack.com/services/" + place


def _discord_hook(r: Random) -> str:
    return "https://discord" + f".com/api/webhooks/{number(r, 19)}/{chars(r, 68, URL)}"


def _teams_hook(r: Random) -> str:
    place = f"{uuid(r)}@{uuid(r)}/IncomingWebhook/{chars(r, 32, HEX)}/{uuid(r)}"
    return "https://acme.webhook." + "office.com/webhookb2/" + place


# kind: (setting it is usually kept in, maker)
SHAPED: dict[str, tuple[str, Make]] = {
    "OpenAI project key": ("OPENAI_API_KEY", of("sk-" + "proj-", 120, URL)),
    "OpenAI service account key": ("OPENAI_KEY", of("sk-" + "svcacct-", 60, URL)),
    "OpenAI legacy key": ("OPENAI_API_KEY", of("sk-", 48)),
    "Anthropic key": ("ANTHROPIC_API_KEY", of("sk-" + "ant-api03-", 93, URL, "AA")),
    "Anthropic admin key": ("ANTHROPIC_ADMIN_KEY", of("sk-" + "ant-admin01-", 90, URL)),
    "OpenRouter key": ("OPENROUTER_API_KEY", of("sk-" + "or-v1-", 64, HEX)),
    "DeepSeek key": ("DEEPSEEK_API_KEY", of("sk-", 32, HEX)),
    "Groq key": ("GROQ_API_KEY", of("gsk" + "_", 52)),
    "xAI key": ("XAI_API_KEY", of("xai" + "-", 80)),
    "Perplexity key": ("PPLX_API_KEY", of("pplx" + "-", 48)),
    "Cerebras key": ("CEREBRAS_API_KEY", of("csk" + "-", 48, LOWER + "0123456789")),
    "Fireworks key": ("FIREWORKS_API_KEY", of("fw" + "_", 24)),
    "ElevenLabs key": ("ELEVEN_API_KEY", of("sk" + "_", 48, HEX)),
    "Tavily key": ("TAVILY_API_KEY", of("tvly" + "-dev-", 32)),
    "Firecrawl key": ("FIRECRAWL_API_KEY", of("fc" + "-", 32, HEX)),
    "Pinecone key": ("PINECONE_API_KEY", of("pcsk" + "_", 70, ALNUM + "_")),
    "LangSmith key": (
        "LANGSMITH_API_KEY",
        lambda r: "lsv2" + f"_pt_{chars(r, 32, HEX)}_{chars(r, 10, HEX)}",
    ),
    "Hugging Face token": ("HF_TOKEN", of("hf" + "_", 34)),
    "Replicate token": ("REPLICATE_API_TOKEN", of("r8" + "_", 37)),
    "AWS key id": ("AWS_ACCESS_KEY_ID", of("AKI" + "A", 16, BASE32)),
    "AWS session key id": ("AWS_ACCESS_KEY_ID", of("ASI" + "A", 16, BASE32)),
    "GitHub token": ("GITHUB_TOKEN", of("gh" + "p_", 36)),
    "GitHub OAuth token": ("GH_TOKEN", of("gh" + "o_", 36)),
    "GitHub app token": ("GITHUB_TOKEN", of("gh" + "s_", 36)),
    "GitHub fine-grained token": (
        "GH_PAT",
        lambda r: "github" + f"_pat_{chars(r, 22)}_{chars(r, 59)}",
    ),
    "GitLab token": ("GITLAB_TOKEN", of("glpat" + "-", 20, URL)),
    "GitLab runner token": ("RUNNER_TOKEN", of("glrt" + "-", 20, URL)),
    "GitLab deploy token": ("CI_DEPLOY_PASSWORD", of("gldt" + "-", 20, URL)),
    "Bitbucket app password": ("BITBUCKET_APP_PASSWORD", of("ATBB", 32)),
    "Atlassian token": ("JIRA_API_TOKEN", of("ATATT3x" + "FfGF0", 170, URL, "=4A2B19C7")),
    "Slack bot token": ("SLACK_BOT_TOKEN", _slack("b")),
    "Slack user token": ("SLACK_TOKEN", _slack("p")),
    "Slack app token": (
        "SLACK_APP_TOKEN",
        lambda r: "xapp" + f"-1-A{chars(r, 10, BASE32)}-{number(r, 13)}-{chars(r, 64, HEX)}",
    ),
    "Slack webhook": ("SLACK_WEBHOOK_URL", _slack_hook),
    "Discord bot token": (
        "DISCORD_TOKEN",
        lambda r: f"MT{chars(r, 24)}.G{chars(r, 5)}.{chars(r, 38, URL)}",
    ),
    "Discord webhook": ("DISCORD_WEBHOOK", _discord_hook),
    "Teams webhook": ("TEAMS_WEBHOOK", _teams_hook),
    "Telegram bot token": (
        "TELEGRAM_BOT_TOKEN",
        lambda r: f"{number(r, 10)}:AA{chars(r, 33, URL)}",
    ),
    "Stripe live key": ("STRIPE_SECRET_KEY", of("sk" + "_live_51", 99)),
    "Stripe test key": ("STRIPE_SECRET_KEY", of("sk" + "_test_51", 99)),
    "Stripe restricted key": ("STRIPE_KEY", of("rk" + "_live_", 24)),
    "Stripe webhook secret": ("STRIPE_WEBHOOK_SECRET", of("whsec" + "_", 32)),
    "Google API key": ("GOOGLE_API_KEY", of("AIza" + "Sy", 33, URL)),
    "Google client secret": ("GOOGLE_CLIENT_SECRET", of("GOCSPX" + "-", 28, URL)),
    "Google access token": ("GOOGLE_TOKEN", of("ya29" + ".a0", 120, URL)),
    "Google refresh token": ("GOOGLE_REFRESH_TOKEN", of("1//" + "0g", 98, URL)),
    "npm token": ("NPM_TOKEN", of("npm" + "_", 36)),
    "PyPI token": ("TWINE_PASSWORD", of("pypi" + "-AgEIcHlwaS5vcmc", 130, URL)),
    "RubyGems key": ("GEM_HOST_API_KEY", of("rubygems" + "_", 48, HEX)),
    "crates.io token": ("CARGO_REGISTRY_TOKEN", of("cio", 32)),
    "NuGet key": ("NUGET_API_KEY", of("oy2", 43, LOWER + "234567")),
    "Docker Hub token": ("DOCKER_PASSWORD", of("dckr" + "_pat_", 27, URL)),
    "SendGrid key": (
        "SENDGRID_API_KEY",
        lambda r: "SG" + f".{chars(r, 22, URL)}.{chars(r, 43, URL)}",
    ),
    "Mailgun key": ("MAILGUN_API_KEY", of("key" + "-", 32, HEX)),
    "Mailchimp key": ("MAILCHIMP_API_KEY", of("", 32, HEX, "-us14")),
    "Brevo key": ("BREVO_API_KEY", lambda r: "xkeysib" + f"-{chars(r, 64, HEX)}-{chars(r, 16)}"),
    "Postmark-like Resend key": (
        "RESEND_API_KEY",
        lambda r: "re" + f"_{chars(r, 8)}_{chars(r, 24)}",
    ),
    "Twilio key": ("TWILIO_API_KEY", of("SK", 32, HEX)),
    "Shopify token": ("SHOPIFY_ACCESS_TOKEN", of("shpat" + "_", 32, HEX)),
    "Shopify shared secret": ("SHOPIFY_API_SECRET", of("shpss" + "_", 32, HEX)),
    "Square token": ("SQUARE_ACCESS_TOKEN", of("sq0atp" + "-", 22, URL)),
    "Razorpay key": ("RAZORPAY_KEY", of("rzp" + "_live_", 14)),
    "Flutterwave key": ("FLW_SECRET_KEY", of("FLWSECK" + "-", 32, HEX, "-X")),
    "Braintree token": (
        "BRAINTREE_TOKEN",
        lambda r: "access_token" + f"$production${chars(r, 16)}${chars(r, 32, HEX)}",
    ),
    "Plaid token": ("PLAID_ACCESS_TOKEN", lambda r: "access" + "-production-" + uuid(r)),
    "DigitalOcean token": ("DIGITALOCEAN_TOKEN", of("dop" + "_v1_", 64, HEX)),
    "Databricks token": ("DATABRICKS_TOKEN", of("dapi", 32, HEX)),
    "Linear key": ("LINEAR_API_KEY", of("lin" + "_api_", 40)),
    "Notion token": ("NOTION_TOKEN", of("ntn" + "_", 46)),
    "Notion legacy token": ("NOTION_KEY", of("secret" + "_", 43)),
    "Figma token": ("FIGMA_TOKEN", of("figd" + "_", 40, URL)),
    "Airtable token": ("AIRTABLE_TOKEN", lambda r: f"pat{chars(r, 14)}.{chars(r, 64, HEX)}"),
    "Supabase token": ("SUPABASE_ACCESS_TOKEN", of("sbp" + "_", 40, HEX)),
    "Supabase secret key": ("SUPABASE_SECRET_KEY", of("sb" + "_secret_", 31, URL)),
    "Doppler token": ("DOPPLER_TOKEN", of("dp.st" + ".prd.", 43)),
    "Vault token": ("VAULT_TOKEN", of("hvs" + ".CAES", 90, URL)),
    "Grafana token": ("GRAFANA_TOKEN", lambda r: "glsa" + f"_{chars(r, 32)}_{chars(r, 8, HEX)}"),
    "Sentry token": ("SENTRY_AUTH_TOKEN", of("sntryu" + "_", 64, HEX)),
    "New Relic key": ("NEW_RELIC_API_KEY", of("NRAK" + "-", 27, UPPER + "0123456789")),
    "Dynatrace token": (
        "DT_API_TOKEN",
        lambda r: "dt0c01" + f".{chars(r, 24, BASE32)}.{chars(r, 64, BASE32)}",
    ),
    "Postman key": (
        "POSTMAN_API_KEY",
        lambda r: "PMAK" + f"-{chars(r, 24, HEX)}-{chars(r, 34, HEX)}",
    ),
    "PlanetScale password": ("DATABASE_PASSWORD", of("pscale" + "_pw_", 43, URL)),
    "PlanetScale token": ("PLANETSCALE_TOKEN", of("pscale" + "_tkn_", 43, URL)),
    "Fly token": ("FLY_API_TOKEN", of("FlyV1 " + "fm2_", 160, B64)),
    "Netlify token": ("NETLIFY_AUTH_TOKEN", of("nfp" + "_", 36)),
    "Render key": ("RENDER_API_KEY", of("rnd" + "_", 28)),
    "Terraform Cloud token": (
        "TFE_TOKEN",
        lambda r: f"{chars(r, 14)}." + f"atlasv1.{chars(r, 67, URL)}",
    ),
    "Pulumi token": ("PULUMI_ACCESS_TOKEN", of("pul" + "-", 40, HEX)),
    "CircleCI token": ("CIRCLE_TOKEN", lambda r: "CCIPAT" + f"_{chars(r, 22)}_{chars(r, 40, HEX)}"),
    "Buildkite token": ("BUILDKITE_TOKEN", of("bkua" + "_", 40, HEX)),
    "SonarQube token": ("SONAR_TOKEN", of("squ" + "_", 40, HEX)),
    "Sourcegraph token": ("SRC_ACCESS_TOKEN", of("sgp" + "_", 40, HEX)),
    "Tailscale key": (
        "TS_AUTHKEY",
        lambda r: "tskey" + f"-auth-{chars(r, 12)}CNTRL-{chars(r, 32)}",
    ),
    "1Password service account": ("OP_SERVICE_ACCOUNT_TOKEN", of("ops" + "_eyJ", 300, URL)),
    "1Password secret key": (
        "OP_SECRET_KEY",
        lambda r: "-".join(["A3", *(chars(r, n, BASE32) for n in (6, 6, 5, 5, 5, 5))]),
    ),
    "age secret key": ("AGE_KEY", of("AGE-SECRET" + "-KEY-1", 58, UPPER + "023456789")),
    "Facebook token": ("FB_PAGE_TOKEN", of("EAA" + "CEdEose0cBA", 150)),
    "Dropbox token": ("DROPBOX_TOKEN", of("sl" + ".u.", 130, URL)),
    "HubSpot token": ("HUBSPOT_TOKEN", lambda r: "pat" + f"-na1-{uuid(r)}"),
    "Typeform token": ("TYPEFORM_TOKEN", of("tfp" + "_", 44, URL)),
    "Contentful token": ("CONTENTFUL_MANAGEMENT_TOKEN", of("CFPAT" + "-", 43, URL)),
    "Heroku key": ("HEROKU_API_KEY", of("HRKU" + "-AA", 58, URL)),
    "Mapbox secret token": (
        "MAPBOX_TOKEN",
        lambda r: "sk" + f".eyJ{chars(r, 80)}.{chars(r, 22, URL)}",
    ),
    "Azure client secret": (
        "AZURE_CLIENT_SECRET",
        lambda r: f"{chars(r, 3)}8Q~{chars(r, 34, URL)}",
    ),
    "Okta token": ("OKTA_API_TOKEN", of("00", 40, URL)),
    "JSON web token": ("SESSION_JWT", jwt),
    "Bitcoin extended private key": ("XPRV", of("xprv" + "9s21ZrQH143K", 99, BASE58)),
    "Prefect key": ("PREFECT_API_KEY", of("pnu" + "_", 36)),
    "Shippo token": ("SHIPPO_TOKEN", of("shippo" + "_live_", 40, HEX)),
    "EasyPost key": ("EASYPOST_API_KEY", of("EZ" + "AK", 54)),
    "Honeycomb key": ("HONEYCOMB_API_KEY", of("hcaik" + "_01", 56, LOWER + "0123456789")),
    "Artifactory key": ("ARTIFACTORY_API_KEY", of("AKCp" + "8", 69)),
}

# § is the token, ¤ the name of the setting, ⟦…⟧ what must be left. Turns are separated by a line
# with ~~~; the first is the user's.
CONTEXTS = (
    "en|¤=§",
    'en|export ¤="§"\n⟦export LOG_LEVEL=debug⟧',
    "en|here's the key for staging: §",
    "en|I think the issue is auth. My config has\n\n```yaml\nenv:\n  ¤: §\n  ⟦REGION: eu-west-1⟧\n```\n\n⟦any idea?⟧",
    "en|⟦2026-04-11T09:12:44.120Z ERROR worker-3⟧ request failed: 401, sent credentials § ⟦(attempt 2 of 5)⟧",
    'en|{"tool": "⟦run_shell⟧", "exit_code": 0, "stdout": "¤=§\\nPATH=/usr/bin\\n"}',
    "en|$ printenv | grep -i ¤\n¤=§\n⟦$ make deploy⟧",
    "en|can you debug this?\n~~~\n⟦Sure.⟧ What does the setting hold?\n~~~\n§\n~~~\n⟦Thanks, I will try it.⟧",
    "en|- ⟦region: fra1⟧\n- **¤**: `§`\n- ⟦plan: pro⟧",
    "en|| ⟦name⟧ | value |\n|---|---|\n| ¤ | § |\n| ⟦REGION⟧ | eu |",
    "en|⟦docker run -d --name api⟧ -e ¤=§ ⟦-p 8080:80 acme/api:1.4⟧",
    "en|\x1b[32m+\x1b[0m ¤=\x1b[33m§\x1b[0m\n⟦\x1b[2mdone in 3.1s\x1b[0m⟧",
    'en|Traceback (most recent call last):\n  File "⟦app/main.py⟧", line 31, in connect\n    raise AuthError(f"bad key {key}")\napp.errors.AuthError: ⟦bad key⟧ §',
    'en|client = Client(token="§", ⟦timeout=30⟧)',
    "en|diff --git a/.env b/.env\n⟦--- a/.env⟧\n+++ b/.env\n@@ -1,2 +1,2 @@\n-¤=changeme\n+¤=§",
    "en|please rotate § ⟦before Friday, it was in the logs⟧",
    "en|(the old one was §)",
    "de|Hier ist der Schlüssel: §\n⟦Bitte trag ihn in die Konfiguration ein.⟧",
    "de|⟦Ich bekomme immer 403.⟧ In der .env steht ¤='§' ⟦und sonst nichts.⟧",
    "de|Welchen Token nimmst du?\n~~~\n⟦Den aus der Umgebung. Kannst du ihn mir nennen?⟧\n~~~\nja klar: §",
    "de|⟦Notiz vom Montag⟧: neuer Token für CI angelegt (§), ⟦läuft im Oktober ab⟧",
    "fr|⟦Bonjour,⟧ voici la clé : §. ⟦Merci de ne pas la partager.⟧",
    "fr|J'ai mis § dans ¤, ⟦mais le serveur répond toujours 401.⟧",
    "fr|⟦Le journal du serveur :⟧\n```\n[warn] ¤ → §\n```",
    "es|Aquí tienes el token: § ⟦(solo lectura)⟧",
    "es|⟦En producción usamos⟧ ¤=§ ⟦y en pruebas otro distinto.⟧",
    "es|¿Cuál es la clave?\n~~~\n⟦No la tengo, pásamela.⟧\n~~~\nes esta §",
    "pt|Segue a chave da API: §\n⟦Qualquer coisa me avisa.⟧",
    "pt|⟦O deploy quebrou.⟧ No arquivo .env está ¤=§ ⟦certo?⟧",
    "it|⟦Ciao,⟧ il token è § ⟦— usalo solo per i test.⟧",
    'it|Nel file di configurazione ho scritto\n\n    ¤: "§"\n\n⟦ma non funziona.⟧',
    "nl|⟦Hoi,⟧ de sleutel is § ⟦en hij verloopt volgende week.⟧",
    "nl|⟦In de pipeline staat⟧ ¤=§, ⟦klopt dat?⟧",
    "zh|⟦你好，⟧这是密钥：§，⟦请不要外传。⟧",
    "zh|⟦环境变量里写的是⟧ ¤=§ ⟦但是一直报 401。⟧",
    "zh|密钥是多少？\n~~~\n⟦我这里没有，请发给我。⟧\n~~~\n§",
    "ja|⟦お疲れ様です。⟧APIキーは§です。⟦よろしくお願いします。⟧",
    "ja|⟦設定ファイルに⟧ ¤=§ ⟦と書きましたが動きません。⟧",
    "ru|⟦Привет!⟧ Вот ключ: § ⟦— он для тестового сервера.⟧",
    "ru|⟦В .env лежит⟧ ¤=§, ⟦но всё равно 403.⟧",
)
