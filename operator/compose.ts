/**
 * Composes a Gateway's configuration from its object and the objects that refer to it. It is a pure function: the same
 * input produces the same text.
 */
import { isSecretName } from '#core/contracts/config/secret-names.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { foreignMember } from './compose-members.ts';
import {
  type EnvironmentEntry,
  type Gateway,
  type Part,
  type PartKind,
  type Secret,
  type SecretKeyRef,
  usableBy,
} from './resources.ts';

/** Inputs of a composition. */
export interface Sources {
  readonly gateway: Gateway;
  /** Objects in the namespace that refer to the Gateway, including objects being deleted. */
  readonly parts: readonly Part[];
  /** The namespace's secrets by name; `undefined` for a secret that does not exist. */
  readonly secrets: ReadonlyMap<string, Secret | undefined>;
}

export interface Composition {
  /** JSON text (also valid YAML) for the body of `PUT config`. */
  readonly text: string;
  /** SHA-256 of the text in hex. */
  readonly composed: string;
  /** Variables with secrets that the gateway's container needs, by name. */
  readonly environment: readonly EnvironmentEntry[];
}

/** The reason and message of the condition for a refused composition. */
interface Refusal {
  readonly reason: 'InvalidSpec' | 'SecretMissing' | 'SecretForbidden' | 'GatewayMissing';
  readonly message: string;
}

/** Sections that are built from separate objects. */
const sectionsOfParts: Readonly<Record<string, PartKind>> = {
  providers: 'Provider',
  routes: 'Route',
  tenants: 'Tenant',
};

/**
 * Composes the configuration. If any object is incomplete, the whole composition is refused, because omitting a policy
 * would allow the calls it blocks; the active configuration is kept [operator.composed].
 */
export function compose({ gateway, parts, secrets }: Sources): Composition | Refusal {
  const leftOut = [gateway, ...parts.filter((part) => !isDeleted(part))].map(foreignMember).find(Boolean);
  if (leftOut) return invalid(leftOut);
  const given: Record<string, unknown> = { version: 1, ...gateway.spec.configuration };
  for (const [section, kind] of Object.entries(sectionsOfParts))
    if (section in given)
      return invalid(
        `spec.configuration.${section}: found a section that objects of kind ${kind} make. Allowed: every other section. Create ${kind} objects with spec.gateway: ${gateway.metadata.name}.`,
      );
  const ofKind = (kind: PartKind) => sortParts(parts.filter((part) => part.kind === kind && !isDeleted(part)));
  const policies = ofKind('Policy');
  const tenants: unknown[] = [];
  const problem = (ref: SecretKeyRef | undefined) =>
    secretProblem(ref, secrets) ?? secretRefusal(ref, secrets, gateway.metadata.name);
  for (const tenant of ofKind('Tenant')) {
    const entry = tenantEntry(tenant, secrets, problem);
    if (isRefusal(entry)) return entry;
    tenants.push(entry);
  }
  const providers = ofKind('Provider');
  const environment = environmentOf(gateway, providers);
  const missing = environment.map(({ valueFrom }) => problem(valueFrom?.secretKeyRef)).find(Boolean);
  if (missing) return missing;
  const foreign = environment.find(({ name }) => !isSecretName(name) || reserved.includes(name));
  if (foreign)
    return invalid(
      `spec.secrets: found ${foreign.name}. Allowed: [A-Z][A-Z0-9_]*, outside of ${reserved.join(', ')}, AWS_*, NODE_*, LD_*, PATH and the like.`,
    );
  // The gateway would send the token to the address in the entry.
  const { secretKeyRef: token } = gateway.spec.adminToken;
  const leaking = environment.find(({ valueFrom }) => valueFrom?.secretKeyRef?.name === token.name);
  if (leaking)
    return invalid(
      `${leaking.name}: found a reference to the Secret ${token.name}, which holds the administrator's token. Allowed: another Secret.`,
    );
  const twice = environment.find(({ name }, at) => environment.findIndex((other) => other.name === name) !== at);
  if (twice)
    return invalid(`spec.secrets: found ${twice.name} twice. Allowed: each variable once, and none of a Provider.`);
  const named = providers.find(({ spec }) => 'api_key_env' in spec || 'name' in spec);
  if (named)
    return invalid(
      `Provider ${named.metadata.name}: name and api_key_env must not be set here. Allowed: the name of the object, and apiKey.secretKeyRef.`,
    );
  const lists = withPolicies(given, policies);
  if (isRefusal(lists)) return lists;
  const configuration = {
    ...given,
    ...lists,
    providers: providers.map(providerEntry),
    routes: ofKind('Route').map(({ spec: { gateway: _named, order: _order, ...route } }) => route),
    tenants,
  };
  const text = JSON.stringify(configuration);
  return { text, composed: sha256(text), environment };
}

/** Variables that only the Deployment may set: they determine who administers the gateway and where its store is. */
const reserved: readonly string[] = [
  'GATEWAY_ADMIN_TOKEN',
  'GATEWAY_SECRET_NAMES',
  'GATEWAY_CONFIG',
  'GATEWAY_STATE',
  'GATEWAY_DEBUG',
  'DYNAMODB_ENDPOINT',
];

export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === 'object' && value !== null && 'reason' in value && 'message' in value && !('text' in value);

const invalid = (message: string): Refusal => ({ reason: 'InvalidSpec', message });
const isDeleted = ({ metadata }: Part): boolean => metadata.deletionTimestamp !== undefined;

/** Sorts by `spec.order`, then by name, because the API server lists objects in arbitrary order. */
const sortParts = (parts: readonly Part[]): Part[] =>
  parts.toSorted(
    (one, other) =>
      (one.spec.order ?? 0) - (other.spec.order ?? 0) || (one.metadata.name < other.metadata.name ? -1 : 1),
  );

/** Returns the variable for a provider's key. It is unique, because Provider object names contain no ".". */
const variableOf = (provider: string): string => `PROVIDER_${provider.toUpperCase().replaceAll('-', '_')}_API_KEY`;

function providerEntry({ metadata, spec }: Part) {
  const { gateway: _named, order: _order, apiKey, ...provider } = spec;
  return { ...provider, name: metadata.name, ...(apiKey !== undefined && { api_key_env: variableOf(metadata.name) }) };
}

function environmentOf({ spec }: Gateway, providers: readonly Part[]): EnvironmentEntry[] {
  const entry = (name: string, secretKeyRef: SecretKeyRef) => ({ name, valueFrom: { secretKeyRef } });
  const further = (spec.secrets ?? []).map(({ name, secretKeyRef }) => entry(name, secretKeyRef));
  const ofProviders = providers.flatMap(({ metadata, spec: { apiKey } }) =>
    apiKey === undefined
      ? []
      : [entry(variableOf(metadata.name), (apiKey as { secretKeyRef: SecretKeyRef }).secretKeyRef)],
  );
  return [...further, ...ofProviders].toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Builds a tenant's entry. Callers' keys leave the cluster's secrets only as digests [operator.secrets]. */
function tenantEntry(
  { metadata, spec }: Part,
  secrets: Sources['secrets'],
  problemOf: (ref: SecretKeyRef) => Refusal | undefined,
) {
  const { gateway: _named, order: _order, keys = [], ...tenant } = spec;
  const api_keys: unknown[] = [];
  for (const { secretKeyRef, ...key } of keys as readonly ({ secretKeyRef: SecretKeyRef } & Record<
    string,
    unknown
  >)[]) {
    const problem = problemOf(secretKeyRef);
    if (problem) return { ...problem, message: `Tenant ${metadata.name}: ${problem.message}` };
    api_keys.push({ ...key, key_sha256: sha256(secretValue(secretKeyRef, secrets)!) });
  }
  return { ...tenant, id: metadata.name, api_keys };
}

/** Appends the lists in Policy objects to those in the Gateway's own configuration. */
function withPolicies(given: Record<string, unknown>, policies: readonly Part[]) {
  const content = section(given, 'policies');
  const tools = section(given, 'tool_policies');
  if (!content || !tools)
    return invalid('spec.configuration: found policies or tool_policies that are not objects. Allowed: objects.');
  const lists = (own: unknown, name: string): unknown[] | undefined =>
    own !== undefined && !Array.isArray(own)
      ? undefined
      : [...(own ?? []), ...policies.flatMap(({ spec }) => spec[name] ?? [])];
  const [input, output, rules] = [
    lists(content.input, 'input'),
    lists(content.output, 'output'),
    lists(tools.rules, 'rules'),
  ];
  if (!input || !output || !rules)
    return invalid(
      'spec.configuration: found policies.input, policies.output or tool_policies.rules that is not a list.',
    );
  return { policies: { ...content, input, output }, tool_policies: { ...tools, rules } };
}

function section(given: Record<string, unknown>, name: string): Record<string, unknown> | undefined {
  const value = given[name] ?? {};
  return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
}

/** Returns the reason why a reference has no value, or `undefined` if it has one. */
export function secretProblem(ref: SecretKeyRef | undefined, secrets: Sources['secrets']): Refusal | undefined {
  if (!ref || secretValue(ref, secrets)) return undefined;
  const secret = secrets.get(ref.name);
  const refers = `found a reference to the Secret ${ref.name}`;
  if (secret?.isForbidden)
    return {
      reason: 'SecretForbidden',
      message: `${refers}, which the role of the operator does not let it read. Add it to operator.secretNames of the chart, or name another one.`,
    };
  const found = secret ? `without a value under ${ref.key}` : 'that does not exist';
  return { reason: 'SecretMissing', message: `${refers} ${found}. Create it in the namespace of the object.` };
}

/**
 * Returns the reason why a Gateway's objects may not refer to a Secret. The gateway sends a provider's key to the
 * address that the Provider names, so the owner of the Secret must agree: the operator may read Secrets that the author
 * of an object may not.
 */
function secretRefusal(
  ref: SecretKeyRef | undefined,
  secrets: Sources['secrets'],
  gateway: string,
): Refusal | undefined {
  if (!ref || secrets.get(ref.name)?.metadata.labels?.[usableBy] === gateway) return undefined;
  return {
    reason: 'SecretForbidden',
    message: `found a reference to the Secret ${ref.name}, which is not labelled for this Gateway. If its values may be used, run: kubectl label secret ${ref.name} ${usableBy}=${gateway}`,
  };
}

/** Returns the value of a secret's key, or `undefined` if it is missing or empty. */
export function secretValue({ name, key }: SecretKeyRef, secrets: Sources['secrets']): string | undefined {
  const encoded = secrets.get(name)?.data?.[key];
  return encoded ? Buffer.from(encoded, 'base64').toString('utf8') : undefined;
}

/** Returns the names of all secrets that a composition reads. */
export function secretNames({ gateway, parts }: Omit<Sources, 'secrets'>): string[] {
  const keys = parts.flatMap(({ spec }) => [
    ...((spec.keys ?? []) as readonly { secretKeyRef: SecretKeyRef }[]),
    ...(spec.apiKey === undefined ? [] : [spec.apiKey as { secretKeyRef: SecretKeyRef }]),
  ]);
  const all = [gateway.spec.adminToken, ...(gateway.spec.secrets ?? []), ...keys];
  return [...new Set(all.map(({ secretKeyRef }) => secretKeyRef.name))];
}
