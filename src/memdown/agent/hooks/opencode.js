// Memory for OpenCode, by Memdown. `memdown hooks install opencode` wrote this file and writes it
// anew; `memdown hooks install opencode --undo --apply` takes it away.
import { spawn, spawnSync } from "node:child_process"

const MEMDOWN = null

const MOST_CHARACTERS = 6_000_000

const commandOf = (event) => [...MEMDOWN.command, "hook", event, ...MEMDOWN.options]

/** Run a hook to its end. */
function runAtOnce(event, given, seconds) {
  const [program, ...rest] = commandOf(event)
  const input = JSON.stringify(given)
  spawnSync(program, rest, { input, stdio: ["pipe", "ignore", "ignore"], timeout: seconds * 1000 })
}

/** What a hook answers; undefined if it says nothing, fails or takes too long. */
function run(event, given, seconds) {
  return new Promise((resolve) => {
    const [program, ...rest] = commandOf(event)
    const child = spawn(program, rest, {
      stdio: ["pipe", "pipe", "ignore"],
      timeout: seconds * 1000,
    })
    let said = ""
    child.stdout.setEncoding("utf8")
    child.stdout.on("data", (piece) => (said += piece))
    child.on("error", () => resolve(undefined))
    child.on("close", () => {
      try {
        resolve(JSON.parse(said))
      } catch {
        resolve(undefined)
      }
    })
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(given))
  })
}

const contextOf = (answer) => answer?.hookSpecificOutput?.additionalContext

/** `opencode run` puts quotation marks around what was typed: those are no quotation. */
const unquoted = (text) => text.replace(/^"([^"]*)"$/, "$1")

/** A message in the shape of the other agents' transcripts; what programs added is left out. */
function entryOf({ info, parts }) {
  const content = []
  for (const part of parts) {
    if (part.type === "text" && !part.synthetic && !part.ignored)
      content.push({ type: "text", text: info.role === "user" ? unquoted(part.text) : part.text })
    if (part.type === "tool")
      content.push({ type: "tool_use", name: part.tool, input: part.state?.input })
  }
  return {
    uuid: info.id,
    timestamp: info.time?.created,
    isCompactSummary: info.summary === true,
    message: { role: info.role, model: info.modelID, content },
  }
}

/** The latest messages that together are not too long for a hook. */
function latest(entries) {
  let size = 0
  let first = entries.length
  while (first > 0) {
    size += JSON.stringify(entries[first - 1]).length
    if (size > MOST_CHARACTERS) break
    first -= 1
  }
  return entries.slice(first)
}

export const Memdown = async ({ client, directory }) => {
  const contexts = new Map()
  const parents = new Map()
  const undigested = new Map()

  // A subagent's session belongs to another one, which has the memory already.
  const isMain = async (id) => {
    if (!parents.has(id)) {
      const { data } = await client.session.get({ path: { id } })
      parents.set(id, data?.parentID)
    }
    return parents.get(id) === undefined
  }

  const save = async (event, id, seconds) => {
    if (!id || !(await isMain(id))) return
    const { data } = await client.session.messages({ path: { id } })
    const messages = latest((data ?? []).map(entryOf))
    if (!messages.length) return
    const given = { session_id: id, cwd: directory, messages }
    if (event === "stop") undigested.set(id, given)
    else undigested.delete(id)
    await run(event, given, seconds)
  }

  const quietly = (work) => async (...given) => {
    try {
      await work(...given)
    } catch {
      // Whatever is wrong with the memory, the conversation goes on.
    }
  }

  return {
    "experimental.chat.system.transform": quietly(async ({ sessionID: id }, output) => {
      // The name of a conversation is made without its memory.
      if (!id || output.system[0]?.includes("title generator") || !(await isMain(id))) return
      if (!contexts.has(id))
        contexts.set(id, run("session-start", { session_id: id, cwd: directory }, 30))
      const text = contextOf(await contexts.get(id))
      if (text) output.system.push(text)
    }),
    "chat.message": quietly(async ({ sessionID: id }, { message, parts }) => {
      if (!MEMDOWN.recall || !(await isMain(id))) return
      const prompt = parts.filter((part) => part.type === "text" && !part.synthetic)
      const text = prompt.map((part) => part.text).join("\n")
      const found = contextOf(
        await run("user-prompt-submit", { session_id: id, cwd: directory, prompt: text }, 10),
      )
      if (found)
        parts.push({
          id: `${prompt.at(-1)?.id ?? "prt_0"}memdown`,
          sessionID: id,
          messageID: message.id,
          type: "text",
          text: found,
          synthetic: true,
        })
    }),
    "experimental.session.compacting": quietly(({ sessionID }) => save("pre-compact", sessionID, 30)),
    event: quietly(async ({ event }) => {
      const id = event.properties?.sessionID
      if (event.type === "session.idle") await save("stop", id, 10)
      if (event.type === "session.compacted") contexts.delete(id)
    }),
    // The program ends: there is nobody left to ask for messages, and nothing is waited for.
    dispose: quietly(async () => {
      for (const given of undigested.values()) runAtOnce("session-end", given, 30)
      undigested.clear()
    }),
  }
}
