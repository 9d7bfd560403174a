/** `doctor` on demo settings: demo responses, keys of the local run, generated broker keys. */
import { demoBrokers, demoKey, demoModels } from '../../../bin/agentctl/doctor/demo.ts';
import { deployment } from './deployment.ts';

const { server, examined } = deployment();

describe('[cli.status] demonstration settings', () => {
  const demo = { name: 'demo', type: 'mock', enabled: true, models: ['claude-*', 'gpt-*', 'a', 'b', 'c', 'd'] };
  const real = { name: 'up', type: 'openai', enabled: true, models: ['gpt-*'] };

  test('demo responses are a warning on a deployment, but not on this machine', () => {
    expect(demoModels([real, demo], true)).toEqual({
      state: 'warn',
      found: 'demo answers (providers of type mock: demo) for claude-*, gpt-*, a, b, c, … (6 names)',
      todo: expect.stringContaining('delete it from providers'),
    });
    expect(demoModels([real, demo], false).state).toBe('ok');
    expect(demoModels([real, { ...demo, enabled: false }], true).state).toBe('ok');
  });

  test('a key that npm start generated is a warning', () => {
    expect(demoKey({ name: 'local-human', person: 'local-human' }, true)).toEqual([
      expect.objectContaining({ state: 'warn', found: expect.stringContaining('local-human') }),
    ]);
    expect([demoKey({ name: 'local-agent' }, false), demoKey({ name: 'ci', person: 'alice' }, true)]).toEqual([[], []]);
  });

  test('a broker with a generated key is a warning', () => {
    const broker = { name: 'scm', type: 'scm_app', private_key_env: 'SCM_KEY' };
    expect(demoBrokers({ credentials: { brokers: [{ ...broker, generated_key: true }, broker] } })).toEqual([
      { state: 'warn', found: expect.stringContaining('SCM_KEY'), todo: expect.stringContaining('SCM_KEY') },
    ]);
  });

  test('a local run needs no configuration, and its mock provider is not a finding', async () => {
    const { odd } = await examined({ 'GET /admin/v1/providers': { providers: [demo] } });
    expect([odd, server.seen.some(({ path }) => path.endsWith('/config'))]).toEqual([[], false]);
  });
});
