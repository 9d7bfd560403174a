/** Headers that the edge forwards, in both directions. */
import { forwardedHeaders, returnedHeaders } from '../forwarded-headers.ts';

const by = {
  host: '127.0.0.1:8080',
  client: { address: '198.51.100.7', host: 'edge.example', scheme: 'https' as const },
  trace: { traceparent: '00-ours' },
};
const forwarded = (...raw: string[]) => {
  const flat = forwardedHeaders(raw, by);
  return flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1]]] : []));
};

test("[edge.forwarded] a client's claims about addresses, hosts and schemes are replaced", () => {
  const sent = [
    ...['X-Forwarded-For', '10.0.0.1', 'x-forwarded-proto', 'ftp', 'X-Forwarded-Anything', '1'],
    ...['Forwarded', 'for=x', 'X-Real-IP', '1', 'Via', 'x', 'Host', 'evil'],
  ];
  expect(forwarded(...sent, 'accept', '*/*')).toEqual([
    ['host', '127.0.0.1:8080'],
    ['accept', '*/*'],
    ['traceparent', '00-ours'],
    ['x-forwarded-for', '198.51.100.7'],
    ['x-forwarded-host', 'edge.example'],
    ['x-forwarded-proto', 'https'],
  ]);
});

test('[edge.forwarded] hop-by-hop headers are not forwarded, and neither are those that Connection names', () => {
  const sent = [
    ...[':method', 'GET', 'Connection', 'close, X-Hop', 'X-Hop', '1', 'TE', 'trailers', 'Upgrade', 'h2c'],
    ...['Transfer-Encoding', 'chunked', 'Expect', '100-continue'],
  ];
  expect(forwarded(...sent).map(([name]) => name)).toEqual(
    'host traceparent x-forwarded-for x-forwarded-host x-forwarded-proto'.split(' '),
  );
});

test('[edge.forwarded] every occurrence of a header is forwarded, and the upstream decides which one applies', () => {
  expect(forwarded('X-API-Key', 'a', 'x-api-key', 'b').filter(([name]) => name === 'x-api-key')).toEqual([
    ['x-api-key', 'a'],
    ['x-api-key', 'b'],
  ]);
});

test('[edge.forwarded] connection headers in a response are not forwarded', () => {
  expect(
    returnedHeaders([
      ...['Content-Type', 'text/plain', 'Connection', 'keep-alive, x-hop', 'X-Hop', '1', 'Keep-Alive'],
      ...['timeout=5', 'Set-Cookie', 'a', 'Set-Cookie', 'b'],
    ]),
  ).toEqual(['content-type', 'text/plain', 'set-cookie', 'a', 'set-cookie', 'b']);
});
