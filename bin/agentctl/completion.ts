/** `completion`: prints a shell script that completes commands and options, generated from the commands. */
import { Argument, type Command } from 'commander';
import { addCommand, type Parent } from './command.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** Words that may follow a command, by the command's path: `""`, `"evidence"`, `"evidence export"`. */
type Words = ReadonlyMap<string, { readonly commands: readonly string[]; readonly options: readonly string[] }>;

export function addCompletion(parent: Parent): void {
  addCommand(parent, {
    usage: 'completion',
    summary: 'Print a script that completes agentctl in a shell',
    examples: [
      'completion bash >> ~/.bashrc',
      'completion zsh > ~/.zsh/completions/_agentctl',
      'completion fish > ~/.config/fish/completions/agentctl.fish',
    ],
    options: (command) => command.addArgument(new Argument('<shell>', 'which shell').choices(shells)),
    run: async (cli, _options, [shell]) => {
      cli.out.text(scripts[shell as Shell](completionWords(parent.command)));
      return 'positive';
    },
  });
}

function completionWords(root: Command): Words {
  const found = new Map<string, { commands: string[]; options: string[] }>();
  const visit = (command: Command, path: string): void => {
    const commands = command.commands.map((each) => each.name());
    const options = command.options.flatMap(({ long }) => (long ? [long] : []));
    found.set(path, { commands, options: [...new Set([...options, '--help'])] });
    for (const each of command.commands) visit(each, path === '' ? each.name() : `${path} ${each.name()}`);
  };
  visit(root, '');
  return found;
}

/**
 * Returns the bash script. The path consists of the leading words that name commands; other words are operands and
 * values.
 */
function bash(words: Words): string {
  const cases = [...words].map(
    ([path, { commands, options }]) => `    "${path}") words="${[...commands, ...options].join(' ')}" ;;`,
  );
  const paths = [...words.keys()].filter((path) => path !== '').map((path) => `    "${path}") return 0 ;;`);
  return `# agentctl: completion for bash
_agentctl_is_command() {
  case "$1" in
${paths.join('\n')}
  esac
  return 1
}
_agentctl() {
  local path="" next word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${path:+$path }$word"
    if _agentctl_is_command "$next"; then path="$next"; fi
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _agentctl agentctl`;
}

/** Returns the zsh script, which runs the bash function. */
const zsh = (words: Words): string =>
  `#compdef agentctl
autoload -U +X bashcompinit && bashcompinit
${bash(words)}`;

function fish(words: Words): string {
  const lines = [...words].flatMap(([path, { commands, options }]) => {
    const below = path === '' ? [] : path.split(' ');
    const when = [
      ...below.map((word) => `__fish_seen_subcommand_from ${word}`),
      ...(commands.length > 0 ? [`not __fish_seen_subcommand_from ${commands.join(' ')}`] : []),
    ].join('; and ');
    const on = when === '' ? '' : ` -n '${when}'`;
    return [
      ...commands.map((name) => `complete -c agentctl -f${on} -a ${name}`),
      ...options.map((name) => `complete -c agentctl${on} -l ${name.slice(2)}`),
    ];
  });
  return ['# agentctl: completion for fish', ...lines].join('\n');
}

const scripts: Readonly<Record<Shell, (words: Words) => string>> = { bash, zsh, fish };
