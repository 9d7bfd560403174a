/** A deployment that responds to `doctor`: healthy except for the parts that a test changes. */
import { routes } from '#features/routes.ts';
import packageJson from '#package' with { type: 'json' };
import { Home, serverOf } from './support.ts';

export const status = {
  dependencies: [{ kind: 'store', name: 'tables', needed: true, state: 'up' }],
  warnings: [],
  oldest_pending_seconds: 0,
  deliveries: { failing: [] },
  budgets: [],
};
export const healthy: Readonly<Record<string, unknown>> = {
  'GET /health': { status: 'ok', version: packageJson.version },
  'GET /v1/models': { object: 'list', data: [{ id: 'mock' }] },
  'GET /admin/v1/whoami': { person: 'alice', role: 'admin', kind: 'human' },
  'GET /admin/v1/providers': { providers: [{ name: 'up', type: 'openai', enabled: true, models: ['gpt-*'] }] },
  'GET /admin/v1/health/detailed': status,
  'GET /admin/v1/alerts': { alerts: [] },
  'GET /admin/v1/audit/verify': { valid: true, total_entries: 7 },
  'GET /admin/v1/audit/in-force': { agrees: true, policy_version: 3, compared: {}, differences: [], not_checked: [] },
  'GET /admin/v1/evidence/log/checkpoint': { cosigned: [{ witness: 'w' }] },
  'GET /admin/v1/mcp/tools': { tools: [{ tool: 'read', state: 'accepted' }] },
  'GET /admin/v1/supply-chain': { require_signed: false, parts: [] },
  'GET /admin/v1/federation/planes': { planes: [] },
};

/** Returns the route of a call, or undefined if its feature is missing. */
const routeOf = (call: string) => routes.find(({ method, path }) => `${method} ${path}` === call);

/** Calls that may fail without ending the checks. */
export const optionalCalls = Object.keys(healthy).filter(
  (call) => call !== 'GET /health' && call !== 'GET /admin/v1/whoami' && routeOf(call),
);

/** Returns members of a scripted response that no gateway sends, and that a check would therefore never find. */
function foreignMembers(call: string, answer: unknown): string[] {
  const { output } = routeOf(call) ?? {};
  const issues = (typeof output === 'function' && output().safeParse(answer).error?.issues) || [];
  return issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []));
}

export function deployment() {
  const home = new Home();
  const server = serverOf(home);
  beforeEach(() => home.running(server.url, server.url));

  const answersHealthy = () => {
    for (const [call, answer] of Object.entries(healthy)) server.on(call, answer);
  };

  /** Examines a deployment that is healthy except for these responses. */
  async function examined(but: Readonly<Record<string, unknown>> = {}) {
    for (const [call, answer] of Object.entries({ ...healthy, ...but })) {
      expect([call, foreignMembers(call, answer)]).toEqual([call, []]);
      server.on(call, answer);
    }
    const { code, out } = await home.run(['doctor', '--json']);
    const { findings, ...sums } = JSON.parse(out) as {
      findings: { check: string; state: string; found: string; todo?: string }[];
    };
    return { code, ...sums, odd: findings.filter(({ state }) => state !== 'ok') };
  }

  return { home, server, answersHealthy, examined };
}
