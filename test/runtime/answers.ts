/**
 * Responses of every function that API Gateway calls: status line, headers and body arrive, whether complete or
 * streamed.
 */
import assert from 'node:assert/strict';
import * as z from 'zod';
import type { FunctionName } from '#core/contracts/functions.ts';
import { type Check, check } from '../support/checks.ts';
import { readCases } from '../support/yaml.ts';
import type { World } from './world.ts';

const row = z.strictObject({
  says: z.string(),
  route: z.string(),
  as: z.enum(['agent', 'human', 'admin']).optional(),
  ask: z.string().optional(),
  more: z.looseObject({}).optional(),
  body: z.record(z.string(), z.unknown()).optional(),
  raw: z.string().optional(),
  headers: z.record(z.string(), z.string()).default({}),
  status: z.number(),
  header: z.record(z.string(), z.string()).default({}),
  shows: z.array(z.string()),
});
const functions = readCases('test/runtime/answers.yaml', z.record(z.string(), z.array(row)));

const recording = [
  '--edge\r\ncontent-disposition: form-data; name="model"\r\n\r\nmock',
  '\r\n--edge\r\ncontent-disposition: form-data; name="file"; filename="talk.wav"\r\ncontent-type: audio/wav\r\n\r\n',
].join('');

export const answerChecks = (world: World): Check[] => [
  ...Object.entries(functions).flatMap(([name, rows]) =>
    rows.map(({ says, route, as, ask, more, body, raw, headers, status, header, shows }) =>
      check(`${name} answers ${status}: ${says}`, async () => {
        const asked = { model: 'mock', max_tokens: 50, messages: [{ role: 'user', content: ask }], ...more };
        const call = { caller: as, ...(raw && { raw }), body: ask === undefined ? body : asked };
        const answer = await world.call(name as FunctionName, route, { ...call, headers });
        assert.equal(answer.status, status, answer.text);
        for (const [member, value] of Object.entries(header)) assert.equal(answer.headers[member], value);
        for (const pattern of shows) assert.match(answer.text, new RegExp(pattern));
      }),
    ),
  ),
  check('chat-completions answers 200: transcribes audio from a form with binary data', async () => {
    const answer = await world.call('chat-completions', 'POST /v1/audio/transcriptions', {
      caller: 'agent',
      headers: { 'content-type': 'multipart/form-data; boundary=edge' },
      bytes: Buffer.concat([Buffer.from(recording), Buffer.from([0xff, 0xfe, 0]), Buffer.from('\r\n--edge--\r\n')]),
    });
    assert.equal(answer.body?.text, 'Mock transcript of talk.wav', answer.text);
  }),
];
