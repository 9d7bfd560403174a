/** Judges that need only the call. */
import { ask, judges } from '#core/actions/judges.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { call, configurationWith, factsOf } from '../../support/judged-call.ts';
import type { Loose } from '../../support/loose.ts';

const configuration = configurationWith();
const decisionOn = (over: Loose) => ask(judges, factsOf(over) as never, 'requested');

describe('facts that do not depend on the caller', () => {
  const { sandbox } = configuration;
  const evaluated = (given: Loose, parts: readonly Loose[] = [], settings: Loose = sandbox) =>
    decisionOn({
      policy: compilePolicy({ name: 'p', default_decision: 'allow', rules: [] }),
      call: { ...call, ...given },
      effects: { parts },
      sandbox: settings,
    });

  test('the policy makes the decision if no other judge does', async () => {
    expect(await evaluated({})).toMatchObject({ decision: 'allow', matched_rule: 'default' });
  });

  test('a secret in executable text is refused before the policy is evaluated', async () => {
    const parameters = { script: 'curl -H ghp_0123456789abcdefghijklmnopqrstuvwxyz x' };
    expect(await evaluated({ protocol: 'mcp', parameters })).toMatchObject({
      decision: 'block',
      matched_rule: 'effects:secret',
    });
  });

  test('the effect limits apply to the parts of a call, or to the call itself if it has no parts', async () => {
    const outside = { decision: 'block', matched_rule: expect.stringMatching(/^sandbox:/) };
    const to = (host: string) => ({ ...call, protocol: 'http', tool: 'http.get', parameters: { host } });
    const limits = { ...sandbox, http: { ...sandbox.http, allowed_hosts: ['api.example'] } };
    expect(await evaluated(to('evil.example'), [], limits)).toMatchObject(outside);
    expect(await evaluated({}, [to('evil.example')], limits)).toMatchObject(outside);
    expect((await evaluated(to('evil.example'), [to('api.example')], limits)).decision).toBe('allow');
    expect((await evaluated(to('api.example'), [], limits)).decision).toBe('allow');
  });
});
