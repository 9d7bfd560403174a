import { grantFor } from '#core/execution/credentials/grants.ts';
import { envelope, grant } from './sample.ts';

const grants = [
  grant({ tool: 'scm.get_*', scope: 'contents:read' }),
  grant({ tool: 'scm.*', scope: 'contents:write' }),
  grant({ protocol: '*', tool: 'sql.*', scope: 'select' }),
];
const scopeOf = (call: { protocol?: string; tool: string }) =>
  grantFor(grants, undefined, { ...envelope, ...call })?.scope;

describe('the grant for an action', () => {
  test.each([
    [{ tool: 'scm.get_issue' }, 'contents:read'],
    [{ tool: 'scm.merge' }, 'contents:write'],
    [{ tool: 'SCM.GET_issue' }, 'contents:read'],
    [{ tool: 'sql.query', protocol: 'sql' }, 'select'],
    [{ tool: 'scm.merge', protocol: 'http' }, undefined],
    [{ tool: 'shell.rm' }, undefined],
  ])('%j gets the scope of the first matching grant: %s', (call, scope) => {
    expect(scopeOf(call)).toBe(scope);
  });

  test('[policy.upstream] for protocol mcp is the grant that names the server', () => {
    const given = [
      grant({ protocol: '*', tool: '**', scope: 'anything' }),
      grant({ protocol: 'mcp', tool: 'files.*', upstream: 'files', scope: 'files' }),
      grant({ protocol: '*', tool: '**', upstream: 'm*', scope: 'mail' }),
    ];
    const scope = (protocol: string, upstream?: string) =>
      grantFor(given, undefined, { ...envelope, protocol, tool: 'files.read', upstream })?.scope;
    expect([scope('mcp', 'files'), scope('MCP ', 'evil'), scope('mcp'), scope('mcp', 'mail')]).toEqual([
      'files',
      undefined,
      undefined,
      'mail',
    ]);
    expect([scope('git'), scope('http', 'billing')]).toEqual(['anything', 'anything']);
    const credential = { broker: 'b', scope: 'of rule', ttl_seconds: 60 };
    const ofRule = (rule: object, upstream: string) =>
      grantFor([], { credential, ...rule }, { ...envelope, protocol: 'mcp', tool: 'x', upstream })?.scope;
    expect([ofRule({}, 'files'), ofRule({ upstream: 'files' }, 'files')]).toEqual([undefined, 'of rule']);
  });

  test("the matched rule's own credential wins", () => {
    const ofRule = { broker: 'narrow', scope: 'issues:read', ttl_seconds: 60 };
    expect(grantFor(grants, { credential: ofRule }, { ...envelope, tool: 'scm.get_issue' })).toEqual({
      protocol: 'git',
      tool: 'scm.get_issue',
      ...ofRule,
    });
  });
});
