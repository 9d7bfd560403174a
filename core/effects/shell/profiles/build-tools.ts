/** Tools that build, test, lint and manage packages: they run code of the project, so that each is one effect as a whole. */
import type { Family, Profile } from './profile.ts';

const whole = { does: 'execute', whole: true } as const;
/** Words of its own grammar: a rule that allows it says which. */
const opaque = { ...whole, syntax: 'none', operands: ['word*'] } as const satisfies Profile;

export const buildTools = {
  'pytest py.test': {
    ...whole,
    exact: true,
    flags: `-h -l -q -s -v -x --collect-only --co --durations-verbose --exitfirst --ff --failed-first --fixtures --full-trace --last-failed --lf --lf-only
      --markers --new-first --nf --no-header --no-summary --no-showlocals --pdb-trace --quiet --runxfail --setup-plan --showlocals --stepwise --strict
      --strict-config --strict-markers --sw --verbose --disable-warnings --disable-pytest-warnings`,
    values: {
      number: '--durations --durations-min --maxfail --verbosity -n --numprocesses',
      text: '-k -m',
      word: '-r --capture --color --tb --show-capture --code-highlight --import-mode --last-failed-no-failures',
      names: '--deselect --ignore',
      glob: '--ignore-glob',
    },
    responseFiles: true,
    operands: ['read*'],
  },
  'jest vitest': {
    ...whole,
    exact: true,
    verbs: { write: 'init' },
    flags: `-b -i -o -v -q -x --bail --ci --clearMocks --color --coverage --debug --detectOpenHandles --errorOnDeprecated --expand --findRelatedTests --forceExit
      --json --lastCommit --listTests --logHeapUsage --no-coverage --noStackTrace --no-color --onlyChanged --onlyFailures --passWithNoTests --randomize
      --resetMocks --resetModules --restoreMocks --runInBand --run --showSeed --silent --verbose --no-cache`,
    values: {
      number: '-w --maxWorkers --maxConcurrency --testTimeout --seed',
      text: '-t --testNamePattern --testPathPattern --testPathPatterns --testPathIgnorePatterns',
      word: '--shard --coverageReporters --changedSince --selectProjects',
    },
    operands: ['read*'],
  },
  mocha: {
    ...whole,
    exact: true,
    flags:
      '-b -q -v -x --bail --check-leaks --ci --color --dry-run --exit --forbid-only --forbid-pending --full-trace --no-color --parallel --recursive',
    values: { number: '-s -t -j --jobs --retries --slow --timeout', text: '-f -g --fgrep --grep' },
    verbs: { write: 'init inspect debug' },
    operands: ['read*'],
  },
  ruff: {
    ...whole,
    exact: true,
    flags:
      '-h -n -q -s -v -V -x --quiet --silent --verbose --isolated --no-cache --diff --check --statistics --show-files --show-settings --show-fixes --no-fix --preview --no-preview --exit-zero --respect-gitignore',
    values: {
      word: '--select --ignore --extend-select --extend-ignore --output-format --target-version --line-length --color',
      glob: '--exclude --extend-exclude',
      write: '-o --output-file --cache-dir',
      unread: '--config --stdin-filename',
    },
    refused: '--fix --unsafe-fixes --fix-only --add-noqa --watch',
    responseFiles: true,
    verbs: { write: 'format clean server lsp analyze' },
    operands: ['read*'],
  },
  mypy: {
    ...whole,
    flags:
      '-q -v -x -V -h --strict --pretty --show-error-codes --show-error-context --show-column-numbers --ignore-missing-imports --no-error-summary --no-incremental --check-untyped-defs --disallow-untyped-defs --warn-unused-ignores --warn-return-any --no-implicit-optional --no-color-output --namespace-packages --explicit-package-bases --follow-imports-for-stubs --verbose',
    values: {
      word: '-m -p --module --package --python-version --platform --follow-imports --enable-error-code --disable-error-code',
      text: '--exclude',
    },
    exact: true,
    responseFiles: true,
    operands: ['read*'],
  },
  flake8: {
    ...whole,
    exact: true,
    flags:
      '-q -v -x -h --count --statistics --show-source --quiet --verbose --benchmark --exit-zero --disable-noqa --isolated',
    values: {
      word: '--select --ignore --extend-ignore --extend-select --max-line-length --max-complexity --format --color',
      glob: '--exclude --extend-exclude --filename',
      number: '-j --jobs',
    },
    operands: ['read*'],
  },
  pylint: {
    ...whole,
    exact: true,
    flags: '-q -v -x -h -E --errors-only --recursive --score --reports --list-msgs --verbose',
    values: { word: '-d -e -f --disable --enable --output-format --fail-under --max-line-length', number: '-j --jobs' },
    responseFiles: true,
    operands: ['read*'],
  },
  eslint: {
    ...whole,
    exact: true,
    flags:
      '-h -q -v -x --quiet --color --no-color --no-warn-ignored --no-error-on-unmatched-pattern --pass-on-no-patterns --no-inline-config --report-unused-disable-directives --debug --cache --no-ignore --exit-on-fatal-error --env-info',
    values: {
      number: '--max-warnings',
      word: '--ext',
      glob: '--ignore-pattern',
      write: '-o --output-file --cache-file --cache-location',
      unread:
        '-c -f --config --format --plugin --parser --rulesdir --resolve-plugins-relative-to --rule --parser-options --global --env --stdin-filename',
    },
    refused: '--fix --fix-dry-run --init --stdin --inspect-config',
    operands: ['read*'],
  },
  prettier: {
    ...whole,
    exact: true,
    flags:
      '-c -l -u --check --list-different --no-config --no-editorconfig --ignore-unknown --no-error-on-unmatched-pattern --color --no-color',
    changes: { write: '-w --write' },
    values: { word: '--log-level --parser --tab-width --print-width', unread: '--config --plugin --ignore-path' },
    operands: ['read*'],
  },
  'make gmake': {
    ...whole,
    flags:
      '-b -B -d -e -h -i -k -L -m -n -p -q -r -R -s -S -t -v -w --always-make --environment-overrides --ignore-errors --keep-going --check-symlink-times --just-print --dry-run --recon --print-data-base --question --no-builtin-rules --no-builtin-variables --silent --quiet --no-silent --no-keep-going --stop --touch --trace --print-directory --no-print-directory --warn-undefined-variables',
    values: {
      word: '-W -o --old-file --assume-old --what-if --new-file --assume-new',
      read: '-f --file --makefile',
      folder: '-C --directory',
      unread: '-E -I --eval --include-dir',
    },
    attached: {
      number: '-j -l --jobs --load-average --max-load',
      word: '-O --output-sync --debug --shuffle --jobserver-style',
    },
    settings: 'SHELL .SHELLFLAGS SHELLFLAGS MAKEFILES MAKEFLAGS',
    operands: ['word*'],
  },
  [`npm npx yarn pnpm pnpx corepack bunx tsc tsx biome turbo nx lerna vite webpack rollup esbuild next astro playwright cypress
  pip pip3 pipx uv uvx poetry tox nox black isort pre-commit cargo rustc rustup go gofmt golangci-lint mvn gradle gradlew java javac
  dotnet bundle gem rake rspec rails composer phpunit mix swift xcodebuild bazel buck cmake ctest ninja meson gcc g++ cc clang
  pulumi cdk glab ansible ansible-playbook vagrant packer serverless sam heroku fly
  brew apt apt-get dpkg yum dnf apk pacman snap systemctl service journalctl kill killall pkill shutdown reboot halt mount umount
  mkfs wipefs fdisk parted iptables useradd userdel usermod visudo nc ncat netcat telnet ping dig nslookup host openssl gpg
  ssh-keygen ssh-add xdg-open open lsof top htop vmstat iostat netstat ss ifconfig ip`]: opaque,
} as const satisfies Family;
