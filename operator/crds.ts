/** Builds the CustomResourceDefinitions from the configuration's schema; `npm run crds` writes them into the chart. */
import * as z from 'zod';
import { configurationSchema } from '#features/configuration.ts';
import { group, kinds, plurals, type ResourceKind } from './resources.ts';
import { type OpenApi, structuralSchema } from './structural-schema.ts';

const textSchema = (description: string, more: OpenApi = {}): OpenApi => ({
  type: 'string',
  minLength: 1,
  description,
  ...more,
});
const open = (description: string): OpenApi => ({
  type: 'object',
  description,
  'x-kubernetes-preserve-unknown-fields': true,
});
const fromSecret = (description: string): OpenApi => ({
  type: 'object',
  description,
  required: ['secretKeyRef'],
  properties: {
    secretKeyRef: {
      type: 'object',
      description: 'Key of a Secret in the namespace of the object.',
      required: ['name', 'key'],
      properties: {
        name: textSchema('Name of the Secret.', { maxLength: 253 }),
        key: textSchema('Key in the Secret.', { maxLength: 253 }),
      },
    },
  },
});

const gatewayName = textSchema('Name of the Gateway in the same namespace.', {
  maxLength: 253,
  'x-kubernetes-validations': [
    { rule: 'self == oldSelf', message: 'gateway is fixed: create another object for another Gateway' },
  ],
});
const order: OpenApi = {
  type: 'integer',
  default: 0,
  minimum: -1_000_000,
  maximum: 1_000_000,
  description: 'Place among the objects of the kind: lower ones first, then by name.',
};

/** Returns the JSON Schema of configuration sections. */
const sections = (
  z.toJSONSchema(configurationSchema, { target: 'openapi-3.0', io: 'input', unrepresentable: 'any' }) as OpenApi
).properties as Readonly<Record<string, OpenApi>>;
const entryOf = (section: string, without: readonly string[] = []): Record<string, OpenApi> => {
  const { properties } = structuralSchema(sections[section]!.items as OpenApi);
  return Object.fromEntries(Object.entries(properties ?? {}).filter(([name]) => !without.includes(name)));
};
const listSchema = (section: string, name: string): OpenApi => structuralSchema(sections[section]!.properties![name]!);

const tenantKey = structuralSchema(
  ((sections.tenants!.items as OpenApi).properties!.api_keys!.items as OpenApi).anyOf![1]!,
);
const { key: _plain, key_env: _named, key_sha256: _digest, ...keyFields } = tenantKey.properties!;

/**
 * Schemas of the specs. They are open, so that an unknown member reaches the gateway, which rejects it; otherwise the
 * API server would silently drop it.
 */
const specs: Readonly<Record<ResourceKind, OpenApi>> = {
  Gateway: {
    required: ['service', 'adminToken'],
    properties: {
      service: {
        type: 'object',
        description: "The Service for the admin surface, in the object's namespace.",
        required: ['name'],
        properties: {
          name: textSchema('Name of the Service.', { maxLength: 63, pattern: '^[a-z]([-a-z0-9]*[a-z0-9])?$' }),
          port: {
            type: 'integer',
            minimum: 1,
            maximum: 65535,
            default: 8081,
            description: 'Port of the admin surface.',
          },
          scheme: {
            type: 'string',
            enum: ['http', 'https'],
            default: 'http',
            description: 'Scheme of the admin surface.',
          },
        },
      },
      deployment: {
        type: 'object',
        description: 'Deployment of the gateway. The operator adds variables with secrets to it.',
        required: ['name'],
        properties: {
          name: textSchema('Name of the Deployment.', { maxLength: 253 }),
          container: textSchema('Container of the gateway.', { default: 'gateway', maxLength: 63 }),
        },
      },
      adminToken: fromSecret("The administrator's token of the gateway."),
      secrets: {
        type: 'array',
        maxItems: 100,
        description: 'Further secrets that the configuration names: variables of the container.',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: {
          ...fromSecret('A variable and the secret it comes from.'),
          required: ['name', 'secretKeyRef'],
          properties: {
            name: textSchema('Name of the variable.', { pattern: '^[A-Z][A-Z0-9_]{0,127}$' }),
            ...fromSecret('').properties,
          },
        },
      },
      configuration: open('The configuration without providers, routes and tenants, which are objects of their own.'),
    },
    'x-kubernetes-validations': [
      {
        rule: '!has(self.secrets) || size(self.secrets) == 0 || has(self.deployment)',
        message: 'secrets are variables of a Deployment: name it in deployment',
      },
    ],
  },
  Provider: {
    required: ['gateway', 'type'],
    properties: {
      gateway: gatewayName,
      order,
      apiKey: fromSecret('Key of the provider.'),
      ...entryOf('providers', ['name', 'api_key_env']),
    },
  },
  Route: {
    required: ['gateway', 'match'],
    properties: { gateway: gatewayName, order, ...entryOf('routes') },
    'x-kubernetes-validations': [
      { rule: 'has(self.providers) != has(self.regions)', message: 'exactly one of providers and regions' },
    ],
  },
  Tenant: {
    required: ['gateway', 'keys'],
    properties: {
      gateway: gatewayName,
      order,
      keys: {
        type: 'array',
        minItems: 1,
        maxItems: 1000,
        description: 'Keys of callers. The gateway gets their digests only.',
        items: {
          ...open('A key, and who uses it.'),
          required: ['secretKeyRef'],
          properties: { ...fromSecret('').properties, ...keyFields },
          'x-kubernetes-validations': [
            {
              rule: "!has(self.kind) || self.kind != 'human' || has(self.person)",
              message: 'a human key names its person',
            },
          ],
        },
      },
      ...entryOf('tenants', ['id', 'api_keys']),
    },
  },
  Policy: {
    required: ['gateway'],
    properties: {
      gateway: gatewayName,
      order,
      input: listSchema('policies', 'input'),
      output: listSchema('policies', 'output'),
      rules: listSchema('tool_policies', 'rules'),
    },
  },
};

const conditions: OpenApi = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: {
    type: 'object',
    required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
    properties: {
      type: { type: 'string' },
      status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
      reason: { type: 'string' },
      message: { type: 'string', maxLength: 32768 },
      observedGeneration: { type: 'integer', format: 'int64' },
      lastTransitionTime: { type: 'string', format: 'date-time' },
    },
  },
};
const status = (kind: ResourceKind): OpenApi => ({
  type: 'object',
  properties: {
    conditions,
    observedGeneration: { type: 'integer', format: 'int64' },
    ...(kind === 'Gateway' && {
      version: { type: 'integer', format: 'int64' },
      sha256: { type: 'string' },
      composed: { type: 'string' },
      warnings: { type: 'array', items: { type: 'string' } },
    }),
  },
});

/** Rules for object names, which become names in the configuration and, for a Provider, the name of a variable. */
const nameRules: Partial<Record<ResourceKind, OpenApi>> = {
  Provider: {
    'x-kubernetes-validations': [
      {
        rule: "!self.metadata.name.contains('.') && size(self.metadata.name) <= 63",
        message: 'the name of a Provider has no "." and at most 63 characters',
      },
    ],
  },
  Tenant: {
    'x-kubernetes-validations': [
      { rule: 'size(self.metadata.name) <= 64', message: 'the name of a Tenant has at most 64 characters' },
    ],
  },
};

const column = (name: string, jsonPath: string, type = 'string') => ({ name, type, jsonPath });
const conditionColumn = (type: string, field: string) => `.status.conditions[?(@.type=="${type}")].${field}`;

const definition = (kind: ResourceKind) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plurals[kind]}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: {
      kind,
      listKind: `${kind}List`,
      plural: plurals[kind],
      singular: kind.toLowerCase(),
      categories: ['governance'],
    },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          ...(kind === 'Gateway'
            ? [column('Version', '.status.version', 'integer')]
            : [column('Gateway', '.spec.gateway')]),
          column('Ready', conditionColumn('Ready', 'status')),
          column('Synced', conditionColumn('Synced', 'status')),
          column('Reason', conditionColumn('Synced', 'reason')),
          column('Age', '.metadata.creationTimestamp', 'date'),
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            ...nameRules[kind],
            properties: {
              spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, ...specs[kind] },
              status: status(kind),
            },
          },
        },
      },
    ],
  },
});

/** Returns the definitions by file name. */
export const definitions = (): Readonly<Record<string, ReturnType<typeof definition>>> =>
  Object.fromEntries(kinds.map((kind) => [`${plurals[kind]}.yaml`, definition(kind)]));
