/**
 * The page of request members lost in translation to another provider's API, generated from the tables that control
 * translation.
 */
import { type Members, membersToAnthropic, membersToOpenai } from '#core/models/dialects/translate/members.ts';
import { membersToOllama } from '#core/models/providers/ollama-request.ts';
import { code, codes, origin, table } from './markdown.ts';

const ways: readonly (readonly [string, Members])[] = [
  ['Chat completions and responses, to Anthropic and Bedrock', membersToAnthropic],
  ['Messages, to OpenAI and the mock', membersToOpenai],
  ['Chat completions, to Ollama', membersToOllama],
];

function section([title, members]: readonly [string, Members]): string {
  const named = (is: string) => Object.keys(members).filter((name) => members[name]!.is === is);
  const refused = named('refused').map((name) => [code(name), members[name]!.allowed]);
  const lines = (
    [
      ['Translated', named('translated')],
      ['Passed through unchanged', named('carried')],
      ['Left out by name', named('left out')],
    ] as const
  ).filter(([, names]) => names.length > 0);
  return `## ${title}

${lines.map(([what, names]) => `${what}: ${codes([...names].sort())}.\n`).join('\n')}
${table(['refused with 400', 'allowed'], refused.sort())}`;
}

export const translationPage = (): string => `# Requests to a provider of another form

${origin('`core/models/dialects/translate/members.ts` and `core/models/providers/ollama-request.ts`')}
A request goes to a provider of its own form untouched. On its way to another form each member is translated, carried, left out or
refused. A member whose loss would make another answer is refused: 400 \`invalid_request\` with \`param\`, \`reason: unsupported_parameter\` and what is
allowed. A member whose loss changes the sample, the cost or the speed is left out: its name stands in the header \`X-Left-Out\` and in
\`left_out\` of the call's entry in evidence. Values that ask for nothing (\`null\`, \`n: 1\`, \`logprobs: false\`, \`thinking: {type: disabled}\`) go without a word.
Members that the tables do not name are carried.

A provider that lacks what a call asks for is passed over, so another provider of the route may answer.

${ways.map(section).join('\n')}
## Parts of members

${table(
  ['from', 'left out by name', 'refused with 400'],
  [
    [
      'chat completions',
      'temperature above 1 (1 is sent), names of messages, reasoning of the history, detail of images, cache breakpoints before the last four, members of parts and tool calls that Anthropic lacks',
      'response_format json_object, audio, non-function tools, files without inline data',
    ],
    [
      'messages',
      'thinking of the history, blocks of tools that the provider ran, output_config other than format, metadata other than user_id, members of tools such as input_examples; cache_control without a name',
      'documents with citations, tools that the provider runs, images and documents by file id',
    ],
    [
      'responses',
      'include, truncation auto, reasoning.summary, reasoning items, optional tools of the provider, members that chat completions lack',
      'top_logprobs, include of logprobs, prompt, conversation, background',
    ],
    [
      'chat completions, to Ollama',
      'tool_choice that forces a call (a named tool is the only one offered)',
      'sound, files, addresses of images',
    ],
    [
      'messages, to Bedrock',
      'metadata, disable_parallel_tool_use, strict of tools',
      'citations, tool_choice none where the history holds calls',
    ],
  ],
)}`;
