/** The chart and its CustomResourceDefinitions, without a cluster. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse, parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { configurationSchema } from '#features/configuration.ts';
import packageJson from '#package' with { type: 'json' };
import { type Composition, compose } from '../../../operator/compose.ts';
import { definitions } from '../../../operator/crds.ts';
import { permissions } from '../../../operator/kubernetes-api.ts';
import { type Gateway, type Part, plurals, type ResourceKind } from '../../../operator/resources.ts';
import type { structuralSchema } from '../../../operator/structural-schema.ts';
import { readCases } from '../../support/yaml.ts';

const cases = readCases(
  'test/unit/operator/chart.yaml',
  z.strictObject({
    refused: z.array(
      z.tuple([
        z.string(),
        z.union([z.string(), z.array(z.union([z.string(), z.record(z.string(), z.unknown())])), z.number()]),
      ]),
    ),
    taken: z.array(z.tuple([z.string(), z.union([z.string(), z.array(z.record(z.string(), z.unknown()))])])),
  }),
);

const chart = 'charts/agent-governance-gateway';
const read = (name: string) => readFileSync(join(chart, name), 'utf8');
/** Returns a template without its actions: control flow lines are removed, and values are replaced with a word. */
const bare = (name: string) =>
  read(`templates/${name}`)
    .replace(/^\s*\{\{-? (if|end|with|else|include|fail)[^\n]*\n/gm, '')
    .replace(/^\s*resourceNames: \{\{[^\n]*\n/gm, '')
    .replace(/\{\{-?[^}]*\}\}/g, 'x');
const documents = (name: string) => parseAllDocuments(bare(name)).map((document) => document.toJS());

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

test('[operator.chart] the chart’s role grants exactly the verbs that the client uses, in the release namespace only', () => {
  const all = documents('rbac.yaml');
  expect(all.map(({ kind }) => kind)).toEqual(['ServiceAccount', 'Role', 'RoleBinding']);
  const granted: Record<string, Record<string, string[]>> = {};
  for (const { apiGroups, resources, verbs } of all[1].rules as Rule[])
    for (const group of apiGroups)
      for (const resource of resources) {
        granted[group] ??= {};
        granted[group][resource] = [...(granted[group][resource] ?? []), ...verbs].sort();
      }
  expect(granted).toEqual(permissions);
  for (const name of readdirSync(join(chart, 'templates')))
    expect(read(`templates/${name}`)).not.toMatch(/ClusterRole|['"]\*['"]/);
});

test('[operator.chart] the chart, the image and the package have the same version', () => {
  const { version, appVersion } = parse(read('Chart.yaml'));
  expect([version, appVersion]).toEqual([packageJson.version, packageJson.version]);
});

test('[operator.chart] the default values are valid once an image is named, and unknown values are refused', () => {
  const { $schema: _draft, ...schema } = JSON.parse(read('values.schema.json'));
  const holds = new Ajv2020({ strict: false }).compile(schema);
  const values = parse(read('values.yaml'));
  const named = { ...values, image: { ...values.image, repository: 'registry.example.com/gateway' } };
  expect(holds(values)).toBe(false);
  expect(holds(named)).toBe(true);
  expect(holds({ ...named, gatway: {} })).toBe(false);
  // The store in the volume belongs to a single process.
  expect(holds({ ...named, gateway: { ...named.gateway, replicas: 2 } })).toBe(false);
  const elsewhere = { ...named.gateway, replicas: 2, dynamodbEndpoint: 'https://dynamodb.eu-west-1.amazonaws.com' };
  expect(holds({ ...named, gateway: { ...elsewhere, keys: { secret: 'governance-keys' } } })).toBe(true);
  // Pods without their own volume would each generate a key, and the store would refuse all but the first.
  for (const keys of [undefined, {}, { secret: '' }]) {
    for (const replicas of [1, 2]) expect(holds({ ...named, gateway: { ...elsewhere, replicas, keys } })).toBe(false);
  }
  expect(holds({ ...named, gateway: { ...named.gateway, keys: { secret: 'governance-keys' } } })).toBe(true);
});

describe('[operator.chart] values that a cluster would reject, or that grant more access than intended', () => {
  const { $schema: _draft, ...schema } = JSON.parse(read('values.schema.json'));
  const holds = new Ajv2020({ strict: false }).compile(schema);
  const defaults = parse(read('values.yaml'));
  const values = { ...defaults, image: { ...defaults.image, repository: 'registry.example.com:5000/team/gateway' } };
  const put = (path: string, value: unknown) => {
    const all = structuredClone(values);
    const keys = path.split('.');
    const last = keys.pop()!;
    const at = keys.reduce((inner, key) => inner[key], all);
    // Helm removes a default if its value is set to null.
    if (value === null) delete at[last];
    else at[last] = value;
    return all;
  };

  test.each<[string, unknown]>([
    ...cases.refused,
    ...['image.tag', 'gateway.keys', 'gateway.archive', 'gateway.archive.credentials', 'gateway.storage'].map(
      (path): [string, unknown] => [path, null],
    ),
    ...['gateway.resources', 'operator.secretNames', 'networkPolicy.callers'].map((path): [string, unknown] => [
      path,
      null,
    ]),
  ])('%s: %j', (path, value) => {
    expect(holds(put(path, value))).toBe(false);
  });

  test.each<[string, unknown]>(cases.taken)('accepts %s: %j', (path, value) => {
    expect([holds(put(path, value)), holds.errors]).toEqual([true, null]);
  });

  test('an empty list of callers admits no callers, because a rule without peers would admit all of them', () => {
    expect(read('templates/network-policy.yaml')).toMatch(
      /\{\{- with \.Values\.networkPolicy\.callers \}\}\n {4}- from: \{\{ toJson \. \}\}\n {6}ports: \[\{ port: gateway \}, \{ port: mcp \}\]\n {4}\{\{- end \}\}/,
    );
  });

  test('string values are quoted in the templates', () => {
    const plain = /\{\{ \.(Values\.(?!image)[\w.]+)? *\}\}/g;
    const numbers = ['Values.gateway.replicas', 'Values.operator.replicas'];
    for (const name of ['gateway.yaml', 'operator.yaml', 'rbac.yaml', 'network-policy.yaml']) {
      const found = [...read(`templates/${name}`).matchAll(plain)].map(([, path]) => path);
      expect([name, found.filter((path) => !numbers.includes(path ?? ''))]).toEqual([name, []]);
    }
  });
});

test('[operator.chart] [shared.gateways] pods with a shared store read its keys from a Secret and write no key files', () => {
  const [deployment] = documents('gateway.yaml');
  const { containers, volumes } = deployment.spec.template.spec;
  expect(containers[0].env).toContainEqual({ name: 'GATEWAY_KEYS', value: '/keys' });
  expect(containers[0].volumeMounts).toContainEqual({ name: 'keys', mountPath: '/keys', readOnly: true });
  expect(volumes).toContainEqual({ name: 'keys', secret: expect.objectContaining({ secretName: 'x' }) });
  expect(read('templates/gateway.yaml')).toMatch(/if and .*dynamodbEndpoint \(not .*keys\.secret\)[^\n]*\n\{\{- fail /);
});

test('[operator.chart] [shared.gateways] region, endpoint and credentials are accepted only together with a bucket', () => {
  const { $schema: _draft, ...schema } = JSON.parse(read('values.schema.json'));
  const holds = new Ajv2020({ strict: false }).compile(schema);
  const values = parse(read('values.yaml'));
  const withArchive = (archive: object) => ({
    ...values,
    image: { ...values.image, repository: 'registry.example.com/gateway' },
    // Helm merges the given values over the defaults.
    gateway: { ...values.gateway, archive: { ...values.gateway.archive, ...archive } },
  });
  const elsewhere = { region: 'eu-west-1', endpoint: 'http://s3:9000', credentials: { secret: 's3' } };
  expect(holds(withArchive({ bucket: 'gateway-evidence', ...elsewhere }))).toBe(true);
  expect(holds(withArchive({ bucket: 'gateway-evidence' }))).toBe(true);
  for (const archive of [
    ...Object.entries(elsewhere).map((each) => Object.fromEntries([each])),
    { bucket: 'No_Bucket' },
  ])
    expect([archive, holds(withArchive(archive))]).toEqual([archive, false]);
  const names = documents('gateway.yaml')[0].spec.template.spec.containers[0].env.map(
    ({ name }: { name: string }) => name,
  );
  expect(names).toEqual(
    expect.arrayContaining(['GATEWAY_ARCHIVE_BUCKET', 'AWS_REGION', 'AWS_ENDPOINT_URL_S3', 'AWS_ACCESS_KEY_ID']),
  );
});

test('[operator.chart] containers run as non-root, without capabilities and on a read-only file system', () => {
  const helpers = read('templates/_helpers.tpl');
  for (const line of [
    ...['runAsNonRoot: true', 'readOnlyRootFilesystem: true', 'allowPrivilegeEscalation: false'],
    'drop: [ALL]',
  ])
    expect(helpers).toContain(line);
  for (const name of ['gateway.yaml', 'operator.yaml']) {
    expect(read(`templates/${name}`)).toContain('include "governance.pod"');
    expect(read(`templates/${name}`)).toContain('include "governance.container"');
  }
  expect(read('templates/gateway.yaml')).not.toMatch(/kind: (ConfigMap|Secret)$/m);
});

test('[operator.composed] the chart’s CRDs match the configuration schema (npm run crds)', () => {
  const made = definitions();
  expect(readdirSync(join(chart, 'crds')).sort()).toEqual(Object.keys(made).sort());
  for (const [name, definition] of Object.entries(made))
    expect(parse(read(`crds/${name}`))).toEqual(structuredClone(definition));
});

test('[operator.composed] every schema is structural, with a type everywhere except for unknown fields and without unions', () => {
  for (const [name, { spec }] of Object.entries(definitions())) {
    const { subresources, additionalPrinterColumns, schema } = spec.versions[0]!;
    expect([name, subresources]).toEqual([name, { status: {} }]);
    expect(additionalPrinterColumns.map((each) => each.name)).toEqual(
      expect.arrayContaining(['Ready', 'Synced', 'Reason']),
    );
    visit(schema.openAPIV3Schema, name);
  }
});

function visit(schema: ReturnType<typeof structuralSchema>, path: string): void {
  for (const union of ['anyOf', 'oneOf', 'allOf', 'not', '$ref']) expect([path, schema]).not.toHaveProperty([1, union]);
  if (!schema['x-kubernetes-preserve-unknown-fields']) expect([path, typeof schema.type]).toEqual([path, 'string']);
  expect([path, Boolean(schema.properties && schema.additionalProperties)]).toEqual([path, false]);
  for (const [name, each] of Object.entries(schema.properties ?? {})) visit(each, `${path}.${name}`);
  if (schema.items) visit(schema.items, `${path}[]`);
}

const specOf = (plural: string) =>
  definitions()[`${plural}.yaml`]!.spec.versions[0]!.schema.openAPIV3Schema.properties.spec;
const key = { secretKeyRef: { name: 'one', key: 'key' } };
test.each([
  ['tenants', { gateway: 'main', keys: [key] }, { gateway: 'main', keys: [] }],
  [
    'tenants',
    { gateway: 'main', keys: [{ ...key, role: 'viewer' }] },
    { gateway: 'main', keys: [{ ...key, role: 'root' }] },
  ],
  [
    'providers',
    { gateway: 'main', type: 'openai', timeout_ms: 5 },
    { gateway: 'main', type: 'openai', timeout_ms: 'soon' },
  ],
  [
    'routes',
    { gateway: 'main', match: { model: '*' }, providers: ['mock'] },
    { gateway: 'main', match: { model: '*' }, providers: [] },
  ],
  [
    'policies',
    { gateway: 'main', rules: [{ decision: 'block' }] },
    { gateway: 'main', rules: [{ decision: 'perhaps' }] },
  ],
  [
    'gateways',
    { service: { name: 'gateway' }, adminToken: key },
    { service: { name: 'evil.example.com/' }, adminToken: key },
  ],
])('[operator.composed] %s: a valid spec is accepted, and a similar invalid spec is refused', (plural, good, bad) => {
  const holds = new Ajv2020({ strict: false, validateFormats: false }).compile(
    withoutBooleans(specOf(plural)) as object,
  );
  expect([holds(good), holds.errors]).toEqual([true, null]);
  expect(holds(bad)).toBe(false);
});

test('[operator.composed] the example objects match their definitions and compose into a valid configuration', () => {
  const objects = parseAllDocuments(read('examples/objects.yaml')).map((each) => each.toJS() as Gateway | Part);
  for (const { kind, spec } of objects) {
    const holds = new Ajv2020({ strict: false }).compile(
      withoutBooleans(specOf(plurals[kind as ResourceKind])) as object,
    );
    expect([kind, holds(spec), holds.errors]).toEqual([kind, true, null]);
  }
  const [gateway, ...parts] = objects as [Gateway, ...Part[]];
  const data = { key: 'a2V5', token: 'dG9rZW4=' };
  const secrets = new Map(
    ['governance-admin', 'openai', 'builder'].map((name) => [
      name,
      { metadata: { name, labels: { 'governance.dev/usable-by': 'main' } }, data },
    ]),
  );
  expect(
    configurationSchema.safeParse(JSON.parse((compose({ gateway, parts, secrets }) as Composition).text)).error,
  ).toBeUndefined();
});

/** Converts OpenAPI's `exclusiveMinimum: true` with `minimum` to JSON Schema's number. */
const withoutBooleans = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema, (name, value) => (/^exclusive/.test(name) && value === true ? undefined : value)));
