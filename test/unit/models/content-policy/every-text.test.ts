/** Filters check all text in requests, including text that spans several parts. */

import * as z from 'zod';
import { context, policyOf } from '../../../support/content-policy.ts';
import { object, readCases, rows } from '../../../support/yaml.ts';
import { decisionOnRequest, openai, text, user } from './texts-everywhere.ts';

const { requests, neighbours } = readCases(
  'test/unit/models/content-policy/every-text.yaml',
  z.strictObject({
    requests: rows(z.string(), z.enum(['openai', 'anthropic']), object),
    neighbours: rows(z.string(), z.enum(['openai', 'anthropic']), object),
  }),
);

test.each(requests)('[content.every-text] blocks forbidden text in a request: %s', async (_, dialect, body) => {
  expect(await decisionOnRequest(dialect, body)).toBe('block');
});
test('[content.every-text] blocks a phrase in a request that spans the end of one long part and the start of the next', async () => {
  const body = user([text(`${'a '.repeat(2000)}forbidden`), text(`words ${'b '.repeat(2000)}`)]);
  expect(await decisionOnRequest('openai', body)).toBe('block');
});
test.each(neighbours)('[content.every-text] allows the similar but harmless request: %s', async (_, dialect, body) => {
  expect(await decisionOnRequest(dialect, body)).toBe('allow');
});
test('[content.every-text] personal data split across parts is blocked, because it cannot be redacted', async () => {
  const redacting = policyOf({ input: [{ name: 'pii', type: 'pii', action: 'redact', entities: ['email'] }] });
  const body = user([text('write to alice@exam'), text('ple.com today')]);
  expect((await redacting.checkInput(openai.requestTexts(body), context)).decision).toBe('block');
  const whole = user([text('write to alice@example.com'), text('today')]);
  expect((await redacting.checkInput(openai.requestTexts(whole), context)).decision).toBe('allow');
  expect(JSON.stringify(whole)).not.toContain('alice@');
});
