/** `gh`: other hosts, extensions and aliases, which run programs of their own, are not read. */
import type { Command, CommandProgram } from './command-program.ts';

const json = { jq: '-q --jq', text: '-t --template' } as const;
/** Which of them, of lists of a repository. */
const lists = {
  does: 'read',
  flags:
    '-d --draft --archived --fork --no-archived --source --all -c --conflict-status --exclude-drafts --exclude-pre-releases --include-parents -p --parents',
  values: {
    ...json,
    word: `--json -A --app --assignee --author -B --base -H --head -b --branch -e --event -u --user --commit --created -l --label -m --milestone
      --mention -S --search -s --state -O --order --sort --topic --visibility --language --env -o --org --key --ref`,
    number: '-L --limit',
  },
  // It opens a browser.
  refused: '--web',
} as const satisfies Command;
const views = {
  does: 'read',
  flags:
    '-c --comments --log --log-failed --exit-status -v --verbose --name-only --patch --required --watch --fail-fast -y --yaml --compact',
  values: {
    ...json,
    word: '--json -a --attempt -j --job --color -b --branch -r --ref -e --exclude',
    number: '-i --interval',
  },
  // It opens a browser.
  refused: '-w --web',
  operands: ['name?'],
} as const satisfies Command;
const one = { operands: ['object?'] } as const;
const writing = {
  does: 'write',
  flags: `-d --draft -f --fill --fill-first --fill-verbose --no-maintainer-edit --dry-run --edit-last --delete-last --create-if-none --yes --auto
    --disable-auto -m --merge -r --rebase -s --squash --admin --undo --approve --request-changes --delete-branch --remove-milestone --detach --force --recurse-submodules`,
  values: {
    text: '-b --body -t --title --comment --subject',
    word: `--assignee -B --base -H --head -l --label --milestone -p --project -R --reviewer --add-assignee --add-label --add-project --add-reviewer
      --remove-assignee --remove-label --remove-project --remove-reviewer --match-head-commit -A --author-email --reason --recover --name --branch`,
    read: '-F --body-file -T',
  },
  ...one,
} as const;
const request = {
  ...writing,
  values: { ...writing.values, word: writing.values.word.replace('-R --reviewer', '--reviewer') },
  kind: 'pull-request',
} as const;
const issue = { ...request, kind: 'issue' } as const;

export const gh: CommandProgram = {
  syntax: 'pflag',
  flags: '-h',
  values: { repository: '-R --repo', unread: '--hostname' },
  scopes: { repository: '-R --repo' },
  commands: {
    'pr list, pr ls, pr status, issue list, issue ls, issue status': {
      ...lists,
      values: { ...lists.values, word: `${lists.values.word} -a` },
    },
    'run list': { ...lists, values: { ...lists.values, word: `${lists.values.word} -w --workflow` } },
    'release list, workflow list, label list, cache list, secret list, variable list, ruleset list, gist list, ssh-key list, gpg-key list, org list, project list':
      lists,
    'repo list': { ...lists, operands: ['name?'] },
    'pr view, pr diff, pr checks': { ...views, kind: 'pull-request' },
    'issue view': { ...views, kind: 'issue' },
    'run view, run watch': { ...views, kind: 'run' },
    'release view': { ...views, kind: 'release' },
    'workflow view': { ...views, kind: 'workflow' },
    'repo view': { ...views, operands: ['repository?'], kind: 'repository' },
    'ruleset view, ruleset check, variable get': views,
    'search code, search commits, search issues, search prs, search repos': {
      ...lists,
      flags: `${lists.flags} --locked --merged --checks --review-requested --include-forks`,
      values: {
        ...json,
        word: `${lists.values.word} -R --repo --owner --filename --extension --size --match --updated --stars --license --involves`,
        number: '-L --limit',
      },
      operands: ['word*'],
    },
    status: { does: 'read', values: { word: '-e --exclude -o --org' } },
    'auth status': {
      does: 'read',
      flags: '-a --active -t --show-token',
      secrets: /(?:^| )(?:-t|--show-token)(?:[ =]|$)/,
    },
    'auth token': { does: 'read', values: { word: '-u --user' }, secrets: true },
    'config get, config list': { does: 'read', operands: ['name?'], secrets: /token/ },
    version: { does: 'read' },
    api: {
      does: 'read',
      secrets: /(?:access_tokens|registration-token|remove-token)\b/,
      says: 'sends to',
      flags: '-i --include --paginate --silent --slurp --verbose',
      values: {
        method: '-X --method',
        data: '-F --field -f --raw-field',
        jq: '-q --jq',
        text: '-t --template',
        word: '-H --header -p --preview --cache',
        read: '--input',
      },
      changes: { write: '--input' },
      operands: ['path'],
    },
    'pr create, pr new': { ...request, says: 'creates', operands: [] },
    'pr edit, pr comment, pr review, pr close, pr reopen, pr ready, pr lock, pr unlock, pr update-branch': {
      ...request,
      says: 'changes',
    },
    'pr merge': { ...request, says: 'merges' },
    'pr checkout, pr co': { ...request, says: 'checks out' },
    'issue create, issue new': { ...issue, says: 'creates', operands: [] },
    'issue edit, issue comment, issue close, issue reopen, issue lock, issue unlock, issue pin, issue unpin, issue transfer, issue develop':
      {
        ...issue,
        says: 'changes',
        operands: ['object', 'word?'],
      },
    'issue delete': { ...issue, does: 'delete' },
    'release create, release edit, release upload': {
      does: 'write',
      says: 'publishes',
      flags:
        '-d --draft -p --prerelease --latest --generate-notes --notes-from-tag --verify-tag --clobber --fail-on-no-commits',
      values: {
        text: '-n --notes -t --title',
        read: '-F --notes-file',
        word: '--target --discussion-category --notes-start-tag --tag',
      },
      operands: ['object', 'source*'],
      kind: 'release',
    },
    'release delete, release delete-asset': {
      does: 'delete',
      flags: '-y --yes --cleanup-tag',
      operands: ['object', 'word?'],
      kind: 'release',
    },
    'release download, run download': {
      does: 'write',
      says: 'downloads',
      flags: '--clobber --skip-existing',
      values: { write: '-D --dir -O --output', word: '-p --pattern -A --archive -n --name' },
      ...one,
    },
    'repo clone, repo fork': {
      does: 'write',
      says: 'copies',
      flags: '--clone --remote --default-branch-only --no-upstream',
      values: { word: '-u --upstream-remote-name --remote-name --org --fork-name' },
      operands: ['object?', 'to?'],
      kind: 'repository',
    },
    'repo create, repo edit, repo rename, repo archive, repo unarchive, repo sync, repo set-default': {
      does: 'write',
      says: 'changes',
      open: 'word',
      operands: ['object?'],
      kind: 'repository',
      risk: { rights: /--(?:public|visibility)/ },
    },
    'repo delete': {
      does: 'delete',
      flags: '--yes',
      operands: ['object?'],
      kind: 'repository',
      risk: { destroys: true },
    },
    'run rerun, run cancel, workflow run, workflow enable, workflow disable': {
      does: 'execute',
      says: 'runs or stops',
      flags: '--failed -d --debug --json',
      values: { word: '-j --job -r --ref -f --raw-field', data: '-F --field' },
      ...one,
    },
    'run delete, cache delete, label delete, variable delete, secret delete, secret remove, gist delete, ssh-key delete, gpg-key delete':
      {
        does: 'delete',
        flags: '-a --all --yes --succeed-on-no-caches',
        values: { word: '-e --env -o --org -u --user --app' },
        operands: ['object?'],
      },
    'label create, label edit, label clone, variable set': {
      does: 'write',
      says: 'changes',
      flags: '-f --force',
      values: {
        text: '-d --description -b --body',
        word: '-c --color -n --name -e --env -o --org -v --visibility -r --repos',
      },
      operands: ['object'],
    },
    'secret set': {
      does: 'write',
      says: 'sets the secret',
      values: {
        unread: '-b --body -f --env-file',
        word: '-a --app -e --env -o --org -r --repos -v --visibility -u --user',
      },
      operands: ['object?'],
      risk: { rights: true },
    },
    'ssh-key add, gpg-key add, repo deploy-key add': {
      does: 'write',
      says: 'adds the key',
      flags: '-w --allow-write',
      values: { word: '-t --title --type' },
      operands: ['source'],
      risk: { rights: true },
    },
    'gist create': {
      does: 'write',
      says: 'publishes',
      flags: '-p --public',
      values: { text: '-d --desc', word: '-f --filename' },
      operands: ['source*'],
    },
  },
};
