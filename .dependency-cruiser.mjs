/**
 * The folders of `core`, lowest layer first: each imports only from those before it, including type imports and dynamic
 * imports.
 */
const layers = [
  'kernel',
  'contracts',
  'catalog',
  'text',
  'policy',
  'effects',
  'session',
  'evidence',
  'observatory',
  'models',
  'configuration',
  'limits',
  'guard',
  'execution',
  'approvals',
  'actions',
  'mcp',
  'chat',
  'operations',
];

/** Command-line files that feature commands are built on. */
const commandKit = [
  'call-options',
  'client',
  'command',
  'confirm',
  'doctor/check',
  'doctor/checks',
  'doctor/finding',
  'doctor/run-checks',
  'effects',
  'failure',
  'files',
  'globals',
  'local-run',
  'log-trust',
  'operation-command',
  'output',
  'pieces',
  'policy-file',
  'progress',
  'settings',
  'shell',
  'traffic',
  'tree',
  'witness-state',
  'yaml-text',
];

/** Forbids any import, including type imports, from a file in `to` by a file in `from`. */
const forbidImports = (name, from, to) => ({ name, severity: 'error', from: { path: from }, to: { path: to } });

export default {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    // A generator's packages are installed when it runs.
    {
      name: 'unresolvable',
      severity: 'error',
      from: { pathNot: '^bin/unicode/' },
      to: { couldNotResolve: true, pathNot: '^aws-lambda$' },
    },
    ...layers.map((layer, at) =>
      forbidImports(`core-${layer}`, `^core/${layer}/`, `^core/(?!(${layers.slice(0, at + 1).join('|')})/)`),
    ),
    forbidImports('core-has-no-other-folder', `^core/(?!(${layers.join('|')})/)`, '.'),
    // A feature's tests, in its folder `test`, compose a whole gateway, as other tests do. Its container is a host, and so is its
    // folder `host`, for this machine.
    ...[
      // A restore covers every table.
      forbidImports('features-are-apart', '^features/([^/]+)/', '^features/(?!$1/|(feature|tables)\\.ts$)'),
      {
        // A WASM module is checked in its own runtime. A feature's own adapters, in its folder `adapters`, are built on
        // other adapters; `feature.ts` contains the types of the objects that hosts pass to them.
        ...forbidImports('features-know-core', '^features/', '^(adapters/(?!wasm/module\\.ts$)|lambdas/)'),
        from: {
          path: '^features/',
          pathNot: '^features/(feature\\.ts$|[^/]+/(test|bench|adapters|container|host|functions)/)',
        },
      },
      {
        ...forbidImports('features-add-stacks', '^features/', '^lib/'),
        from: { path: '^features/', pathNot: '^features/(stacks\\.ts$|[^/]+/(test|bench|stack)/)' },
      },
      forbidImports('adapters-of-features', '^features/[^/]+/adapters/', '^(lambdas|lib|bin)/'),
      // Commands are built from the same parts everywhere.
      forbidImports('features-add-commands', '^features/', `^bin/(?!agentctl/(${commandKit.join('|')})\\.ts$)`),
    ].map((rule) => ({
      ...rule,
      from: { pathNot: '^features/[^/]+/(test|bench|container|host|functions)/', ...rule.from },
    })),
    forbidImports('containers-are-hosts', '^features/[^/]+/(container|host|functions)/', '^(lib|bin/(?!local/))'),
    forbidImports('stacks-know-contracts', '^features/[^/]+/stack/', '^core/(?!contracts/|kernel/)'),
    forbidImports(
      'tests-of-features-are-apart',
      '^features/([^/]+)/(?:test|bench)/',
      '^features/(?!$1/|[\\w-]+\\.ts$)',
    ),
    {
      // Commands read and write files of the machine.
      ...forbidImports(
        'core-does-no-io',
        '^(core|features)/',
        '^(node:)?(fs|net|http|https|http2|child_process|dns|tls|worker_threads)(/|$)|node_modules/(@aws-sdk|@smithy|@middy|@aws-lambda-powertools)/',
      ),
      from: {
        path: '^(core|features)/',
        pathNot: '^features/(feature\\.ts$|[^/]+/(test|bench|commands|adapters|container|host)/)',
      },
    },
    forbidImports('core-is-pure', '^core/', '^(features|adapters|lambdas|lib|bin)/'),
    forbidImports('adapters-know-no-handler', '^adapters/', '^(lambdas|lib|bin)/'),
    forbidImports('handlers-know-no-host', '^lambdas/', '^(lib|bin|adapters/local)/'),
    // Handlers receive external services as ports: clients are created where the ports are composed.
    forbidImports('handlers-use-ports', '^lambdas/[^/]+/(http|event)\\.ts$', '^adapters/(?!tables/delivery-record)'),
    // The playground reads configurations, including the sections of features.
    forbidImports(
      'console-knows-core',
      '^console/',
      '^(features/(?!load-configuration\\.ts$)|adapters|lambdas|lib|bin)/',
    ),
    forbidImports(
      'operator-knows-contracts',
      '^operator/',
      '^(core/(?!contracts/|kernel/)|adapters|lambdas|lib|bin|console)',
    ),
    forbidImports('nothing-knows-the-operator', '^(core|features|adapters|lambdas|lib|console)/', '^operator/'),
    forbidImports(
      'reconciliation-does-no-io',
      '^operator/(resources|compose|environment|plan|settle)',
      '^(node:)?(fs|net|http|https|http2|child_process|dns|tls|worker_threads|timers)(/|$)|^operator/(?!resources|compose|environment|plan|settle)',
    ),
    forbidImports('nothing-knows-the-console', '^(core|features|adapters|lambdas|lib|bin)/', '^console/'),
    forbidImports('cloud-shape-knows-contracts', '^lib/', '^(core/(?!contracts/|kernel/)|adapters|lambdas|bin)'),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.mjs', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
