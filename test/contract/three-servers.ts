/** Three MCP servers behind one gateway, one of them hostile. */
import { http, keys, send, useMcpEndpoint } from '../support/mcp-endpoint.ts';
import { plainTool, type RecordingServer, startRecordingServer } from '../support/recording-mcp-server.ts';

export let files: RecordingServer;
export let web: RecordingServer;
export let evil: RecordingServer;
export const servers = () => [files, web, evil];
export const toolsOf = (names: string) => names.split(' ').map((name) => plainTool(name));

export let run = 0;
/** Returns servers with names used only by this test, so that the gateway has no earlier definitions of them. */
export function entriesOf(...more: object[]): object[] {
  const [a, b, c] = more;
  return [
    { name: 'files', url: files.url, ...a },
    { name: `web${++run}`, url: web.url, ...b },
    { name: `evil${run}`, url: evil.url, ...c },
  ];
}
export const sent = () => servers().map((server) => server.received().map(({ message }) => message.params!.name));
export const act = (action: object, key = keys.agent) =>
  http('POST', '/admin/v1/test-action', { protocol: 'mcp', target: '', capability: 'execute', ...action }, { key });
export const toolNames = async (session: string): Promise<string[]> =>
  (await send('tools/list', {}, { session })).last.result.tools.map(({ name }: { name: string }) => name);

export function useThreeServers(): void {
  useMcpEndpoint([
    { protocol: 'mcp', tool: 'files.*', upstream: '{files,fixture}', decision: 'allow' },
    { protocol: 'mcp', tool: 'web.*', decision: 'allow' },
    { protocol: 'mcp', tool: 'wipe', decision: 'block' },
    { protocol: 'mcp', tool: '{files.*,*__files.*,*__web.*,post,*__wipe}', decision: 'review' },
  ]);

  beforeAll(async () => {
    [files, web, evil] = (await Promise.all(
      ['files.read files.list', 'web.get post', 'note'].map((names) => startRecordingServer(toolsOf(names))),
    )) as [RecordingServer, RecordingServer, RecordingServer];
  });
  afterAll(() => Promise.all(servers().map((server) => server.stop())));
  beforeEach(() => {
    files.offer(toolsOf('files.read files.list'));
    web.offer(toolsOf('web.get post'));
    evil.offer(toolsOf('note'));
    for (const server of servers()) {
      server.clear();
      server.fail(undefined);
    }
  });
}
