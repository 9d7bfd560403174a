/**
 * Unusual requests through pydantic-ai and LiteLLM: the response to the caller, and the request that reached the model.
 */
import assert from 'node:assert/strict';
import { type Check, check } from '../support/checks.ts';
import type { RecordedRequest } from '../support/fake-providers.ts';
import type { Loose } from '../support/loose.ts';
import { type Kind, kinds, nameOf } from '../support/odd-model.ts';

const ways = [
  ...['chat', 'responses', 'messages'].map((way) => `pydantic-ai ${way}`),
  ...['openai', 'anthropic'].map((way) => `litellm ${way}`),
];

export function oddChecks(
  outcomes: Record<string, Loose>,
  requests: Record<Kind, readonly RecordedRequest[]>,
): Check[] {
  const each = ways.flatMap((way) => kinds.map((kind) => [way, kind] as const));
  return [
    ...each.flatMap(([way, kind]) => {
      const name = (of: string) => `${way} ${kind} ${of}`;
      const asked = (of: string) => requests[kind].filter((request) => nameOf(request) === name(of));
      const last = (of: string): Loose => asked(of).at(-1)?.body;
      const says = (what: string, prove: () => Promise<void>) =>
        check(`[clients.libraries] ${way} over ${kind}: ${what}`, prove);
      const is = (of: string, expected: unknown) => assert.deepEqual(outcomes[name(of)], expected);
      return [
        says('an image and a long system prompt reach the model', async () => {
          is('image', 'Hello');
          assert.match(JSON.stringify(last('image')), /iVBORw0KGgo/);
          assert.ok(JSON.stringify(last('image')).includes('All work and no play. '.repeat(4000).trim()));
        }),
        says('two tool calls of one turn and their results go back together', async () => {
          is('parallel tools', { text: 'Hello', calls: 2 });
          assert.match(JSON.stringify(last('parallel tools')), /sunny in Oslo.*sunny in Bergen/);
        }),
        says('settings arrive under the names of the provider', async () => {
          is('settings', 'Hello');
          const { temperature, top_p, max_tokens, max_completion_tokens } = last('settings');
          assert.deepEqual([temperature, top_p, max_tokens ?? max_completion_tokens], [0.2, 0.9, 50]);
        }),
        ...(way === 'pydantic-ai messages'
          ? []
          : [
              says('an answer by a schema is parsed, and the model was given the schema', async () => {
                is('as json', 'Oslo');
                assert.match(JSON.stringify(last('as json')), /"city"/);
              }),
            ]),
        says('who leaves a stream ends it at the provider', async () => {
          assert.match(String(outcomes[name('abort')]), /left|closed/);
          await asked('abort')[0]?.closed;
        }),
        says('an overload is tried again', async () => {
          is('retries', 'Hello');
          assert.equal(asked('retries').length, 2);
        }),
        ...(way.startsWith('pydantic')
          ? [
              says('a picture that a tool gives back reaches the model', async () => {
                is('picture tool', 'Hello');
                assert.match(JSON.stringify(last('picture tool')), /iVBORw0KGgo/);
              }),
            ]
          : [says('empty turns are answered', async () => is('empty', 'Hello'))]),
      ];
    }),
    ...['openai', 'litellm'].map((client) =>
      check(`[error.not-found] ${client}: a base URL as people write it answers, or says what to change`, async () => {
        assert.equal(outcomes[`${client} with a slash`], 'Hello');
        const { error: without } = outcomes[`${client} without v1`];
        assert.match(without.message, /The base URL of this client must end with \/v1: add it\./);
        assert.match(outcomes[`${client} with v1 twice`].error.message, /leave \/v1 out of its base URL/);
      }),
    ),
  ];
}
