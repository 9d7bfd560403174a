/** `npm run cost`: what a million calls of each kind cost on AWS, and a month without any. */
import { pricesOf } from './prices.ts';
import { costTables } from './tables.ts';

console.log(`US dollars, us-east-1, prices written down from memory on ${pricesOf}\n\n${costTables()}`);
