/** Values that a model has seen in a chat request, for both dialects. */
import type { JsonObject } from '#core/kernel/json.ts';
import { conversationSources } from '#features/provenance/conversation.ts';
import { sourceOf } from '#features/provenance/trace.ts';

const of = (value: unknown, body: JsonObject) => sourceOf(value, { seen: conversationSources(body), complete: true });

const messages: JsonObject = {
  system: 'You work for Example Ltd, ledger 4455667.',
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Answer the mail; my address is anna@example.com.' }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I will write to mallory@evil.example.' },
        { type: 'tool_use', id: 't1', name: 'mail.Read', input: { id: 17 } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: '{"from":"eve@evil.example"}' }] },
        { type: 'text', text: 'And copy bob@example.com.' },
        { type: 'document', source: { type: 'text', data: 'call doc@evil.example' } },
      ],
    },
  ],
};
const completions: JsonObject = {
  messages: [
    { role: 'developer', content: 'Ledger 4455667.' },
    { role: 'user', content: 'Answer the mail; my address is anna@example.com.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'mail.Read', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: '{"from":"eve@evil.example"}' },
    { role: 'tool', tool_call_id: 'other', content: 'zoe@evil.example' },
  ],
};

describe('[provenance.prompt]', () => {
  test.each([
    ['messages', messages],
    ['chat completions', completions],
  ])(
    '%s: the user is trusted, the host is system, and a result is attributed to its tool and message',
    (_dialect, body) => {
      expect(of('anna@example.com', body).whole).toEqual(['trusted']);
      expect(of(4455667, body).whole).toEqual(['system']);
      expect(of('eve@evil.example', body).whole).toEqual(['tool:mail.read']);
      expect(of('eve@evil.example', body).from?.[0]?.where).toMatch(/^message [34]$/);
    },
  );

  test('text next to a result in a message belongs to the user, but a document in that message does not', () => {
    expect(of('bob@example.com', messages).whole).toEqual(['trusted']);
    expect(of('doc@evil.example', messages).whole).toEqual(['unknown']);
  });

  test('a name that is not a valid tool name does not appear in labels', () => {
    const named = (name: string): JsonObject => ({
      messages: [
        { role: 'assistant', content: null, tool_calls: [{ id: 'c', function: { name, arguments: '{}' } }] },
        { role: 'tool', tool_call_id: 'c', content: 'eve@evil.example' },
      ],
    });
    expect(of('eve@evil.example', named('mail_read')).whole).toEqual(['tool:mail_read']);
    for (const name of ['a\nb', 'x'.repeat(200), '<b>', ''])
      expect(of('eve@evil.example', named(name)).whole).toEqual(['tool:unnamed']);
  });

  test("the model's own words are not a source; a result without its call is one of an unnamed tool", () => {
    expect(of('mallory@evil.example', messages).whole).toEqual(['unknown']);
    expect(of('zoe@evil.example', completions).whole).toEqual(['tool:unnamed']);
  });
});
