/** The direction of imports: kernel ← contracts ← capabilities ← flows ← adapters ← lambdas, bin. `lib` knows contracts and file paths only. */
const flows = '^core/(chat|actions|mcp|admin)/';
const capabilities = '^core/(?!kernel/|contracts/|chat/|actions/|mcp/|admin/)[^/]+/';

export default {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: '^aws-lambda$' } },
    {
      name: 'kernel-knows-nobody',
      severity: 'error',
      from: { path: '^core/kernel/' },
      to: { path: '^(core/(?!kernel/)|adapters|lambdas|lib|bin)' },
    },
    {
      name: 'contracts-know-kernel',
      severity: 'error',
      from: { path: '^core/contracts/' },
      to: { path: '^(core/(?!kernel/|contracts/)|adapters|lambdas|lib|bin)' },
    },
    { name: 'capabilities-know-no-flow', severity: 'error', from: { path: capabilities }, to: { path: flows } },
    { name: 'core-is-pure', severity: 'error', from: { path: '^core/' }, to: { path: '^(adapters|lambdas|lib|bin)/' } },
    {
      name: 'core-does-no-io',
      severity: 'error',
      from: { path: '^core/' },
      to: {
        path: '^(node:)?(fs|net|http|https|http2|child_process|dns|tls|worker_threads)(/|$)|node_modules/(@aws-sdk|@smithy|@middy|@aws-lambda-powertools)/',
      },
    },
    {
      name: 'adapters-know-no-door',
      severity: 'error',
      from: { path: '^adapters/' },
      to: { path: '^(lambdas|lib|bin)/' },
    },
    {
      name: 'doors-know-no-host',
      severity: 'error',
      from: { path: '^lambdas/' },
      to: { path: '^(lib|bin|adapters/local)/' },
    },
    {
      name: 'cloud-shape-knows-contracts',
      severity: 'error',
      from: { path: '^lib/' },
      to: { path: '^(core/(?!contracts/|kernel/)|adapters|lambdas|bin)' },
    },
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
