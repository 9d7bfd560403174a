/**
 * The content policy of a call. The filters, and the RE2 engine behind them, are loaded with the first configuration that
 * has any: without filters a gateway starts without them.
 */
import type { Configuration } from '#core/contracts/config.ts';
import { remembered } from '#core/kernel/remembered.ts';
import type { ContentPolicyPorts } from './compile.ts';
import type { ContentPolicy, Verdict } from './ports.ts';

type Filtered = Pick<Configuration, 'policies' | 'transform' | 'tenants'>;

/** Remembered for as long as the configuration lives. */
export async function contentPolicyOf(
  configuration: Filtered,
  tenantId: string,
  ports: ContentPolicyPorts,
): Promise<ContentPolicy> {
  if (!hasFilters(configuration)) return withoutFilters;
  compiling ??= import('./compile.ts');
  const { contentPolicyFor } = await compiling;
  return contentPolicyFor(configuration, tenantId, ports);
}

/** Loaded once: an import by itself costs each call a look-up. */
let compiling: Promise<typeof import('./compile.ts')> | undefined;

/** A tenant's own: a tenant may strip personal data where the others do not. */
const hasFilters = remembered(
  ({ policies, transform, tenants }: Filtered): boolean =>
    policies.input.length > 0 ||
    policies.output.length > 0 ||
    // A configuration may have a thousand tenants, and each call asks.
    [{ transform }, ...tenants].some((each) => each.transform?.response?.strip_pii),
);

const nothingFound: Verdict = { decision: 'allow', findings: [] };

const withoutFilters: ContentPolicy = {
  inputIdle: true,
  inputQuick: true,
  outputIdle: true,
  checkInput: async () => nothingFound,
  checkOutput: async () => nothingFound,
  streamOutput: () => ({
    push: (_channel, text) => text,
    end: () => '',
    open: () => [],
    verdict: () => nothingFound,
  }),
};
