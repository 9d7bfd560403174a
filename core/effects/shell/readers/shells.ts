/** Readers for shells: text for known shells is parsed, and text for other shells is not. */
import type { Invocation } from '../invocation.ts';

/** Reads `bash -c '…'`, `sh script`, `… | sh`. */
export function shell(call: Invocation): void {
  let at = 0;
  let takesLine = false;
  let reads = false;
  for (; at < call.args.length; at++) {
    const arg = call.args[at]!;
    const { text } = arg;
    if (!arg.known && !takesLine) call.isOpen(arg);
    if (text === '--' || text === '-') {
      at++;
      break;
    }
    if (/^--(?:version|help)$/.test(text)) {
      call.effect('read', '');
      return;
    }
    if (!/^[-+]./.test(text)) break;
    if (!/^(?:[-+][cefnosuvxC]+|--(?:posix|norc|noprofile|noediting))$/.test(text))
      call.unclear(`${call.binary} ${text.slice(0, 20)} may read a script first or change how the line is read`);
    if (text.startsWith('--')) continue;
    takesLine ||= text.startsWith('-') && text.includes('c');
    reads ||= text.includes('s');
    if (
      /[oO]/.test(text) &&
      !/^(?:errexit|nounset|pipefail|xtrace|noglob|noclobber|verbose)$/.test(call.args[++at]?.text ?? '')
    )
      call.unclear(`${call.binary} has an option that changes how it reads commands`);
  }
  const [first, ...rest] = call.args.slice(at);
  if (takesLine) call.line(first);
  else if (first && !reads) {
    call.path('execute', first);
    for (const arg of rest) if (!arg.known) call.isOpen(arg);
  } else {
    call.whole('execute');
    call.script();
  }
}

/** Reads shells with a different grammar. */
export function otherShell(call: Invocation): void {
  call.whole('execute');
  const [first] = call.args;
  if (first === undefined || first.text.startsWith('-') || first.text.startsWith('/'))
    call.unclear(`the language of ${call.binary} is not supported`);
}
