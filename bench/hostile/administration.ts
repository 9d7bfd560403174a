/** The largest possible administration requests: configurations, lists, exports, list filters. */
import { hostileKeys } from './configuration.ts';
import { action, type HostileForm, heavy, key, times } from './forms.ts';
import { post, type Target } from './send.ts';

const human = hostileKeys.human;
const get = (name: string, path: string, answers: readonly number[], more: Partial<HostileForm> = {}): HostileForm => ({
  name,
  answers,
  ...more,
  send: ({ admin }) => post({ url: `${admin}${path}`, method: 'GET', key: human, body: '' }),
});

/**
 * Builds a configuration that is rejected only after every check, because its last rule can never match. The current
 * configuration stays in effect.
 */
const configuration = (name: string, rules: () => string): HostileForm => ({
  name,
  answers: [400, 413],
  send: ({ admin }) =>
    post({
      url: `${admin}/admin/v1/config`,
      method: 'PUT',
      key: human,
      headers: { 'content-type': 'application/yaml' },
      body: `version: 1\ntenants: [{ id: default, api_keys: [{ key: k, kind: human, role: admin, platform: true, person: a }] }]\npeople: [{ id: a, role: admin }]\ntool_policies:\n  pack: null\n  rules:\n${rules()}    - { protocol: git, tool: "x.never", decision: allow }\n    - { protocol: git, tool: "x.never", decision: block }\n`,
    }),
});

const session = 'hostile-session';
/** Writes 200 entries of 200 kB each. */
const fill = async ({ admin }: Target): Promise<void> => {
  const body = JSON.stringify({
    protocol: 'git',
    tool: 'never_here.x',
    target: 'acme/web',
    capability: 'read',
    parameters: { list: Array.from({ length: 4_000 }, (_, n) => `line ${n} ${'x'.repeat(40)}`) },
    actor: { session },
  });
  for (let n = 0; n < 100; n++) await post({ url: `${admin}/admin/v1/test-action`, key, body });
};

export const administration: readonly HostileForm[] = [
  heavy(
    configuration('a configuration of 500 rules with many stars', () =>
      Array.from(
        { length: 500 },
        (_, n) => `    - { protocol: git, tool: "a${n}*b*c*", target: "**/a*b*c*d${n}/**", decision: allow }\n`,
      ).join(''),
    ),
  ),
  configuration('a configuration of 2 MB', () =>
    Array.from(
      { length: 19_000 },
      (_, n) =>
        `    - { protocol: git, tool: "tool_${n}.read_something_or_other", target: "src/${n}/**", decision: allow }\n`,
    ).join(''),
  ),
  heavy({
    ...get('a session of 20 MB exported', `/admin/v1/evidence/sessions/${session}/export`, [200]),
    prepare: fill,
  }),
  heavy(get('a session of 20 MB verified', `/admin/v1/evidence/sessions/${session}/verify?entries=true`, [200])),
  heavy(get('a session of 20 MB reported', `/admin/v1/evidence/sessions/${session}/report.html`, [200])),
  heavy(get('200 large entries audited', '/admin/v1/audit?limit=200', [200])),
  get('two hundred sessions', '/admin/v1/evidence/sessions?limit=200', [200]),
  get('a name of 7,000 characters', `/admin/v1/evidence/sessions/${'%2e%2e%2f'.repeat(700)}/export`, [400, 404]),
  get('a filter of 7,000 characters', `/admin/v1/audit?tool=${encodeURIComponent('a*'.repeat(2_000))}`, [200, 400]),
  get('two thousand query parameters', `/admin/v1/audit?${'limit=1&'.repeat(900)}`, [200, 400, 413]),
  get('a cursor of 7,000 characters', `/admin/v1/audit?cursor=${'A'.repeat(7_000)}`, [400]),
  get('metrics', '/metrics', [200]),
  action(
    'a dry run of 60 levels and 15,000 values',
    () => ({
      protocol: 'git',
      tool: 'scm.x',
      target: 'a',
      capability: 'read',
      parameters: { list: Array.from({ length: 1_000 }, (_, n) => ({ a: { b: { c: [n, times('k', 40)] } } })) },
    }),
    [200, 400],
  ),
];
