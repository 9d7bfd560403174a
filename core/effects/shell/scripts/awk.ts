/** Programs of awk that only compute and print: a closed list of what may be called, on the raw text. */

const callable = new Set(
  'if while for switch return print printf length substr index split sub gsub gensub match sprintf tolower toupper int sqrt exp log sin cos atan2 rand srand strtonum asort asorti systime strftime mktime and or xor lshift rshift compl in'.split(
    ' ',
  ),
);

/**
 * By its raw text: where a string of awk ends, a pattern of its own would have to tell. What is called must be harmless, and
 * nothing may be piped, redirected or read.
 */
export function isHarmlessAwk(program: string): boolean {
  if (program.length > 4000) return false;
  if (/system|getline|@|close|fflush|ARG[VC]|ENVIRON|PROCINFO|SYMTAB|FUNCTAB|extension/.test(program)) return false;
  for (const [, name] of program.matchAll(/([A-Za-z_]\w*)\s*\(/g)) if (!callable.has(name!)) return false;
  const printing = program.indexOf('print');
  return !program.replaceAll('||', '').includes('|') && (printing < 0 || !program.includes('>', printing));
}
