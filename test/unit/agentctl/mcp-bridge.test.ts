/** The bridge's handling of lines from its client. */
import { Home, serverOf } from './support.ts';

const home = new Home();
const server = serverOf(home);

interface Answer {
  readonly id: unknown;
  readonly result?: { readonly text: string };
  readonly error?: { readonly code: number };
}

async function answersTo(stdin: string): Promise<readonly Answer[]> {
  server.on('POST /mcp', (response: { end(text: string): void; setHeader(name: string, value: string): void }) => {
    const { id, params } = JSON.parse(server.seen.at(-1)!.body) as { id: number; params: { text: string } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { text: params.text } }));
  });
  const { out } = await home.run(['mcp-bridge', '--url', server.url], { stdin });
  const answers = out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Answer);
  return answers.toSorted((a, b) => Number(a.id) - Number(b.id));
}

const message = (id: number, text: string) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { text } });

test('[evidence.archive] a request whose message contains a line separator gets a response with its own id', async () => {
  const texts = ['\u2028', '\u2029', '\u0085', '\v\f', 'é🔑', 'plain'].map((text) => `a${text}b`);
  const answers = await answersTo(texts.map((text, id) => message(id, text)).join('\n'));
  expect(answers).toEqual(texts.map((text, id) => ({ jsonrpc: '2.0', id, result: { text } })));
});

test('a client that ends its lines with "\\r\\n" is answered; blank lines are not messages', async () => {
  const answers = await answersTo(`\r\n${message(1, 'x')}\r\n\n${message(2, 'y')}\r\nnot JSON\n`);
  expect(answers).toMatchObject([{ id: null, error: { code: -32700 } }, { id: 1 }, { id: 2 }]);
});
