/** A gateway and malformed requests to it. */

import { type Gateway, startGateway } from '../support/gateway.ts';
import { type Ask, type ask, e2eConfiguration, written } from './client.ts';

export let gateway: Gateway;
export let url: string;

beforeAll(async () => {
  gateway = await startGateway({ config: e2eConfiguration });
  url = gateway.ready.admin_url;
});
afterAll(() => gateway?.stop());

export const key = 'e2e-agent';
export const good = {
  protocol: 'git',
  tool: 'scm.get_file',
  target: 'acme/web',
  capability: 'read',
  actor: { session: 'bad-input' },
};
export const raw = (text: string): Ask => ({ key, raw: text });
export const text = JSON.stringify(good);

const types: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'authentication_error',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
};

/** Expects a refusal with the error type for its status, and no write. */
export async function refuses(given: () => ReturnType<typeof ask>, status: number, says: RegExp) {
  const before = await written(url, 'e2e-carol');
  const answer = await given();
  expect([answer.status, answer.text]).toEqual([status, answer.text]);
  expect(answer.body).toEqual({
    error: expect.objectContaining({ code: status, type: types[status], message: expect.stringMatching(says) }),
  });
  expect(answer.text).not.toMatch(/\n\s+at |node:internal|\.ts:\d+|node_modules/);
  expect(await written(url, 'e2e-carol')).toEqual(before);
}
