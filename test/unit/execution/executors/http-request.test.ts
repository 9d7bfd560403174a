/** Destination and headers of HTTP actions. Ambiguous ones are refused. */

import { destinationOf } from '#core/execution/executors/http/destination.ts';
import { sendingOf } from '#core/execution/executors/http/request.ts';
import { configurationSchema } from '#features/configuration.ts';

const { http } = configurationSchema.parse({
  version: 1,
  tenants: [{ id: 't', api_keys: ['k'] }],
  upstreams: {
    http: [
      {
        name: 'svc',
        base_url: 'https://svc.example/api',
        allowed_headers: ['x-own', 'x-trace'],
        credential: { header: 'X-Own' },
      },
    ],
  },
}).upstreams;
const service = http[0]!;
const to = (target: string) => destinationOf({ target, parameters: {} }, service);
const sending = (headers: Record<string, string>) =>
  sendingOf({ tool: 'svc.get', parameters: { headers } }, service, undefined).headers;

test.each(['/a%2fb', '/a%5cb', '/a%252fb', '/a%25b', '/a%00b', '/a%0ab', '/a%0D'])(
  '[executor.http] the path %s is refused',
  (path) => {
    expect(() => to(path)).toThrow(/encoded/);
  },
);

test.each(['/a%20b', '/a%C3%A9', '/a-b_c~d'])('[executor.http] the path %s is accepted', (path) => {
  expect(to(path).url).toBe(`https://svc.example/api${path}`);
});

test('[executor.http] a listed header is forwarded, but callers cannot set the credential header even if it is listed', () => {
  expect(sending({ 'X-Trace': '1' })).toMatchObject({ 'x-trace': '1' });
  expect(() => sending({ 'X-Own': 'mine' })).toThrow('callers of svc may not set header X-Own');
});
