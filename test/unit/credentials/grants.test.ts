import { grantFor } from '#core/credentials/grants.ts';
import { envelope, grant } from './sample.ts';

const grants = [
  grant({ tool: 'scm.get_*', scope: 'contents:read' }),
  grant({ tool: 'scm.*', scope: 'contents:write' }),
  grant({ protocol: '*', tool: 'sql.*', scope: 'select' }),
];
const scopeOf = (call: { protocol?: string; tool: string }) =>
  grantFor(grants, undefined, { ...envelope, ...call })?.scope;

describe('the grant of an action', () => {
  test.each([
    [{ tool: 'scm.get_issue' }, 'contents:read'],
    [{ tool: 'scm.merge' }, 'contents:write'],
    [{ tool: 'SCM.GET_issue' }, 'contents:read'],
    [{ tool: 'sql.query', protocol: 'sql' }, 'select'],
    [{ tool: 'scm.merge', protocol: 'http' }, undefined],
    [{ tool: 'shell.rm' }, undefined],
  ])('%j gets %s: the first that fits', (call, scope) => {
    expect(scopeOf(call)).toBe(scope);
  });

  test("the matched rule's own credential wins", () => {
    const ofRule = { broker: 'narrow', scope: 'issues:read', ttl_seconds: 60 };
    expect(grantFor(grants, ofRule, { ...envelope, tool: 'scm.get_issue' })).toEqual({
      protocol: 'git',
      tool: 'scm.get_issue',
      ...ofRule,
    });
  });
});
