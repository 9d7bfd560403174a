/** `terraform` and `tofu`: to plan, to validate and to show state they run the providers that the configuration names; state holds secrets. */
import type { Command, CommandProgram } from './command-program.ts';

const colours = '-no-color -compact-warnings';
/** What a plan and its execution are made with. */
const planning = {
  flags: `${colours} -input -refresh -refresh-only -detailed-exitcode -lock -json -concise -auto-approve -show-sensitive -allow-missing`,
  values: {
    word: '-var -target -replace -exclude',
    number: '-lock-timeout -parallelism',
    plan: '-out',
    unread:
      '-var-file -state -state-out -backup -generate-config-out -backend-config -plugin-dir -from-module -target-file -exclude-file',
  },
  changes: { delete: '-destroy' },
} as const;
const state = {
  flags: `${colours} -json -lock -dry-run -ignore-remote-version`,
  values: { number: '-lock-timeout', unread: '-state -state-out -backup' },
} as const;
const reads = { does: 'read', flags: `${colours} -json`, values: { unread: '-state' } } as const satisfies Command;

export const terraform: CommandProgram = {
  syntax: 'flag',
  flags: '-help -version -v -h',
  values: { folder: '-chdir' },
  commands: {
    plan: { ...planning, does: 'execute', plans: true },
    validate: {
      does: 'execute',
      plans: true,
      flags: `${colours} -json -no-tests`,
      values: { unread: '-test-directory -var -var-file' },
    },
    'version, providers, workspace show, workspace list, metadata functions': reads,
    show: { ...reads, does: 'execute', plans: true, secrets: /(?:^| )--?json(?:[ =]|$)/ },
    'state list': { ...reads, values: { ...reads.values, word: '-id' }, operands: ['word*'] },
    'state show, state pull': {
      ...reads,
      flags: `${reads.flags} -show-sensitive`,
      secrets: true,
      operands: ['object?'],
    },
    output: { ...reads, flags: `${reads.flags} -raw -show-sensitive`, secrets: true, operands: ['object?'] },
    fmt: {
      does: 'write',
      flags: `${colours} -list -write -diff -recursive`,
      changes: { read: '-check' },
      operands: ['source*'],
    },
    apply: {
      ...planning,
      does: 'write',
      says: 'applies',
      operands: ['object?'],
      kind: 'plan',
      risk: { destroys: /(?:^| )--?destroy(?:[ =]|$)/ },
    },
    destroy: { ...planning, does: 'delete', risk: { destroys: true } },
    refresh: { ...planning, does: 'write' },
    init: {
      does: 'execute',
      flags: `${colours} -input -upgrade -reconfigure -migrate-state -force-copy -get -backend -lock -json`,
      values: {
        word: '-lockfile',
        number: '-lock-timeout',
        unread: '-backend-config -from-module -plugin-dir -test-directory',
      },
    },
    'get, providers lock': {
      does: 'write',
      flags: `${colours} -update`,
      values: { word: '-platform', unread: '-fs-mirror -net-mirror' },
      operands: ['word*'],
    },
    import: { ...planning, does: 'write', says: 'imports', operands: ['object', 'word'] },
    'taint, untaint': {
      ...state,
      does: 'write',
      says: 'taints or untaints',
      flags: `${state.flags} -allow-missing`,
      operands: ['object'],
    },
    'state rm': { ...state, does: 'delete', says: 'forgets', operands: ['object+'] },
    'state mv, state replace-provider': {
      ...state,
      does: 'write',
      says: 'moves',
      flags: `${state.flags} -auto-approve`,
      operands: ['object', 'object'],
    },
    'state push': { ...state, does: 'write', flags: `${state.flags} -force`, operands: ['source'] },
    'workspace select, workspace new': {
      ...state,
      does: 'write',
      says: 'changes to',
      flags: `${state.flags} -or-create`,
      operands: ['object'],
      kind: 'workspace',
    },
    'workspace delete': {
      ...state,
      does: 'delete',
      flags: `${state.flags} -force`,
      operands: ['object'],
      kind: 'workspace',
      risk: { destroys: true },
    },
    'force-unlock': { does: 'write', says: 'unlocks', flags: '-force', operands: ['object'] },
  },
};
