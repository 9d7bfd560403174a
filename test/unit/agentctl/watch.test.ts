/** `pending --watch` follows the events of approvals; `--output` chooses the form of what is printed. */
import type { ServerResponse } from 'node:http';
import { parseAllDocuments } from 'yaml';
import { Home, type Seen, serverOf } from './support.ts';

const home = new Home();
const server = serverOf(home);
const events = 'GET /admin/v1/approvals/events';

const frame = (id: number, event: string, data: object) =>
  `id: p.${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const happened = (envelope_id: string, more: object = {}) => ({
  ...{ envelope_id, session_id: 's', at: '2026-01-01T00:00:00.000Z', ...more },
});
/** Each connection gets the next of these texts, then its end. */
function streams(...texts: readonly string[]) {
  const seen: (string | undefined)[] = [];
  server.on(events, (response: ServerResponse, { lastEventId }: Seen) => {
    const text = texts[seen.length] ?? '';
    seen.push(lastEventId);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (text === 'cut') response.destroy();
    else response.end(text);
  });
  return seen;
}
const listening = (id: number, missed = false) => frame(id, 'listening', { missed });

test('[cli.watch] each event is a line; a stream that ends is taken up behind the last event', async () => {
  const seen = streams(
    listening(0) + frame(1, 'new', happened('e-1')),
    listening(1) + frame(2, 'decided', happened('e-1', { status: 'approved' })),
  );
  const { code, out } = await home.run(['pending', '--watch', '--events', '2']);
  expect([code, out]).toEqual([
    0,
    '2026-01-01T00:00:00.000Z  new  e-1  s\n2026-01-01T00:00:00.000Z  approved  e-1  s\n',
  ]);
  expect(seen).toEqual([undefined, 'p.1']);
});

test('[cli.watch] --json prints one document an event, and a connection that breaks is made again', async () => {
  const seen = streams(
    listening(0) + frame(1, 'new', happened('e-1')),
    'cut',
    listening(1) + frame(2, 'expired', happened('e-2')),
  );
  const { code, out, err } = await home.run(['pending', '--watch', '--events', '2', '--json']);
  expect([
    code,
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ]).toEqual([
    0,
    [
      { event: 'new', ...happened('e-1') },
      { event: 'expired', ...happened('e-2') },
    ],
  ]);
  expect(err).toContain('the gateway does not answer');
  expect(seen).toEqual([undefined, 'p.1', 'p.1']);
});

test('[cli.watch] a gateway that is not ready is asked again, and missed events are reported', async () => {
  let asked = 0;
  server.on(events, (response: ServerResponse) => {
    asked++;
    if (asked === 2) {
      response.writeHead(503, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ error: { code: 503, type: 'service_unavailable', message: 'not ready' } }));
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return response.end(asked === 1 ? listening(0) : listening(1, true) + frame(2, 'new', happened('e-2')));
  });
  const { code, out, err } = await home.run(['pending', '--watch', '--events', '1']);
  expect([code, asked, out]).toEqual([0, 3, expect.stringContaining('e-2')]);
  expect(err).toContain('events were missed');
});

test('[cli.watch] a host that opens no stream says so, and nothing is repeated', async () => {
  server.on(events, { error: { type: 'method_not_allowed', message: 'GET is not offered here; list again.' } }, 405);
  const { code, err } = await home.run(['pending', '--watch']);
  expect([code, err]).toEqual([1, expect.stringContaining('GET is not offered here')]);
  expect(server.seen).toHaveLength(1);
});

describe('[cli.output-forms] --output', () => {
  const answer = { pending: [{ envelope_id: 'e-1', tool: 'a: b', target: 'true', note: '\u202eabc', cents: 3 }] };
  beforeEach(() => server.on('GET /admin/v1/approvals', answer));

  test('yaml is a document that means the same', async () => {
    const { code, out } = await home.run(['pending', '--output', 'yaml']);
    expect([code, parseAllDocuments(out).map((each) => each.toJS())]).toEqual([0, [answer]]);
    expect(out).not.toContain('\u202e');
  });

  test('json is what --json prints, and table wins over --json', async () => {
    const [json, short, table, both] = await Promise.all(
      [['--output', 'json'], ['--json'], ['--output', 'table'], ['--json', '--output', 'table']].map((options) =>
        home.run(['pending', ...options]),
      ),
    );
    expect(JSON.parse(json!.out)).toEqual(answer);
    expect(json!.out).toBe(short!.out);
    expect(table!.out).toMatch(/^e-1/);
    expect(both!.out).toBe(table!.out);
  });

  test('keeps numbers that JavaScript cannot hold', async () => {
    server.on('GET /admin/v1/approvals', (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"pending":[],"total":12345678901234567890}');
    });
    expect((await home.run(['pending', '--output', 'yaml'])).out).toContain('total: 12345678901234567890');
  });

  test('of another form is a usage error that names the three', async () => {
    const { code, err } = await home.run(['pending', '--output', 'xml']);
    expect([code, err]).toEqual([2, expect.stringContaining('table, json, yaml')]);
  });
});
