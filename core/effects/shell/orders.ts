import { programs } from '#core/catalog/tool-names.ts';
import { wordSet } from '#core/kernel/word-set.ts';

const ordered = wordSet(programs.orders);

/** Checks for a program whose plain words are a command and its object rather than paths: `git push`, `npm test`. */
export const takesOrders = (program: string): boolean => ordered.has(program);
