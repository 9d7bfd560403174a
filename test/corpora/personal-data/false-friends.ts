/** Strings that look like personal data but are not: patterns of every kind, whose digits are filled in. */
import * as z from 'zod';
import { readCases } from '../../support/yaml.ts';
import type { Random } from './random.ts';

const forms = readCases('test/corpora/personal-data/false-friends.yaml', z.array(z.string()));

export const falseFriend = ({ one, fill }: Random): string => fill(one(forms));
