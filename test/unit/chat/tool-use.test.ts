/** Arguments of a model's tool call that could be read in two ways never reach the caller. */
import type { ChatCall } from '#core/chat/call.ts';
import type { ChatPorts } from '#core/chat/ports.ts';
import { governReply, ToolGate } from '#core/chat/tool-use.ts';

/** Nothing is governed: the refusal comes before. */
const [ports, call] = [{} as ChatPorts, {} as ChatCall];

async function streamed(json: string): Promise<string> {
  const gate = new ToolGate(ports, call);
  const index = 0;
  const block = { type: 'tool_use', id: 't', name: 'send', input: {} };
  await gate.pass({ type: 'content_block_start', index, content_block: block });
  await gate.pass({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: json } });
  return JSON.stringify(await gate.pass({ type: 'content_block_stop', index }));
}

const twofold: readonly (readonly [string, RegExp])[] = [
  ['{"n":9007199254740993}', /9007199254740993.*Send it as a string/],
  ['{"n":1e21}', /1e21/],
  ['{"a":{"__proto__":{"to":"eve"}}}', /__proto__/],
];

test.each([
  ...twofold,
  ['{"n":0.1234567890123456789}', /exactly/],
  ['{"to":1,"to":2}', /twice/],
  ['["x"]', /not a JSON object/],
] as const)(
  '[json.exact-numbers] [json.proto-key] a streamed call with %s is blocked and says why',
  async (json, why) => {
    const events = await streamed(json);
    expect(events).toMatch(/\[send was blocked: its arguments/);
    expect(events).toMatch(why);
    expect(events).not.toContain('tool_use');
  },
);

test.each(twofold)('[json.exact-numbers] [json.proto-key] so is one of a whole reply: %s', async (json, _why) => {
  const content = [{ type: 'tool_use', id: 't', name: 'send', input: JSON.parse(json) }];
  const reply = await governReply(ports, call, { content, stop_reason: 'tool_use' });
  expect(reply.stop_reason).toBe('end_turn');
  expect(JSON.stringify(reply.content)).toMatch(/\[send was blocked: its arguments/);
});
