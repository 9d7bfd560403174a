/** Shell limits: programs, paths, and the Git limits for branches that `git` writes to. */
import { isOfKind } from '#core/catalog/program-kind.ts';
import { takingText } from '#core/catalog/program-lines.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { branchesWritten } from '#core/effects/branch-writes.ts';
import { forEachText } from '#core/policy/rules/normalise.ts';
import { resolvePath } from '#core/text/matching/canonical-path.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { takesOrders } from '../shell/orders.ts';
import { checkBranch } from './git.ts';
import { type Check, matchesName, matchesText, normalPath, textParameter } from './rule.ts';

export const checkShell: Check = (settings, part) => {
  const { shell, git } = settings;
  const program = programOf(part);
  const binary = program.slice(program.lastIndexOf('/') + 1);
  if (matchesName(shell.blocked_binaries, [binary, program]))
    return { rule: 'shell.blocked_binaries', reason: `The program ${binary} is blocked.` };
  // `/tmp/git` is not the allowed git, and a redirection is not a program.
  if (shell.allowed_binaries && program !== 'redirect' && !matchesName(shell.allowed_binaries, [program]))
    return { rule: 'shell.allowed_binaries', reason: `The program ${program} is not among those allowed.` };
  if (shell.blocked_paths.length > 0) {
    const blocked = possiblePaths(part).find((path) => matchesName(shell.blocked_paths, [path]));
    if (blocked !== undefined) return { rule: 'shell.blocked_paths', reason: `The path ${blocked} is blocked.` };
  }
  if (shell.allowed_paths) {
    const outside = outsideOf(shell.allowed_paths, part, binary);
    if (outside !== undefined)
      return { rule: 'shell.allowed_paths', reason: `The path ${outside} is not among those allowed.` };
  }
  for (const write of branchesWritten(part)) {
    const finding = checkBranch(git, { ...write, force: write.force === true && write.remote !== undefined });
    if (finding) return finding;
  }
  return undefined;
};

/** Returns the program as named, without its path if it is in a system folder. */
const programOf = ({ tool }: ToolCall): string =>
  foldCase(tool)
    .trim()
    .replace(/^shell\./, '')
    .replace(/^(?:\/usr(?:\/local)?|\/opt\/homebrew)?\/s?bin\/(?=[^/]+$)/, '');

/** Returns every string of the part that may be a path, both normalised and resolved against the working directory. */
function possiblePaths(part: ToolCall): string[] {
  const found = new Set<string>();
  const cwd = textParameter(part, 'cwd');
  const look = (text: string): void => {
    for (const word of [text, ...text.split(/[\s=,:]+/)]) {
      if (word === '') continue;
      const path = normalPath(word);
      found.add(path);
      if (cwd !== '' && !/^[/~]/.test(path)) found.add(resolvePath(`${cwd}/${path}`, 'resolve'));
    }
  };
  look(part.target);
  forEachText(part.parameters, look);
  return [...found];
}

/** Returns a path in the part that no allowed pattern covers: its working directory, or a word of its target. */
function outsideOf(allowed: readonly string[], part: ToolCall, binary: string): string | undefined {
  const covers = (path: string): boolean => matchesText(allowed, [path]);
  const cwd = textParameter(part, 'cwd');
  if (cwd !== '' && !covers(normalPath(cwd)) && !covers(`${normalPath(cwd)}/`)) return normalPath(cwd);
  const whole = normalPath(part.target);
  if (whole === '' || whole === '.' || covers(whole)) return undefined;
  return part.target
    .split(/\s+/)
    .map((word) => word.replace(/^-[^=/.~]*=?/, ''))
    .filter(
      (word) =>
        word !== '' &&
        !word.includes('://') &&
        (/[/~.]/.test(word) || !(takesOrders(binary) || isOfKind(binary, takingText))),
    )
    .map(normalPath)
    .find((path) => path !== '.' && !covers(path));
}
