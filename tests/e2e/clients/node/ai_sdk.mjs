// The AI SDK asks a question as desktop frontends do that are made with it: Jan, and Cherry Studio with a file. Never: asserts.
// What to ask comes as JSON on the standard input; what came is told as JSON on the standard output.

import { text } from "node:stream/consumers";

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { streamText } from "ai";

const task = JSON.parse(await text(process.stdin));
const provider = createOpenAICompatible({
  name: "recollect",
  baseURL: `${task.address}/v1`,
  headers: { Authorization: `Bearer ${task.key}` },
  includeUsage: true,
});

const ways = {
  jan: [{ type: "text", text: task.question }],
  "cherry-studio": [
    { type: "text", text: task.question },
    { type: "text", text: "cv.txt\nI work as a baker." },
  ],
};

const answer = streamText({
  model: provider.chatModel("scripted"),
  system: "Be brief.",
  messages: [{ role: "user", content: ways[process.argv[2]] }],
});
const said = [];
for await (const piece of answer.textStream) said.push(piece);

process.stdout.write(JSON.stringify({ said }));
