/** Detects awk programs that only compute and print, using a closed list of functions in the raw text. */

const callable = new Set(
  'if while for switch return print printf length substr index split sub gsub gensub match sprintf tolower toupper int sqrt exp log sin cos atan2 rand srand strtonum asort asorti systime strftime mktime and or xor lshift rshift compl in'.split(
    ' ',
  ),
);

/**
 * Checks the raw text, because finding the end of awk strings would require a parser. All calls must be harmless, and
 * pipes, redirections and reads are not allowed.
 */
export function isHarmlessAwk(program: string): boolean {
  if (program.length > 4000) return false;
  if (/system|getline|@|close|fflush|ARG[VC]|ENVIRON|PROCINFO|SYMTAB|FUNCTAB|extension/.test(program)) return false;
  for (const [, name] of program.matchAll(/([A-Za-z_]\w*)\s*\(/g)) if (!callable.has(name!)) return false;
  const printing = program.indexOf('print');
  return !program.replaceAll('||', '').includes('|') && (printing < 0 || !program.includes('>', printing));
}
