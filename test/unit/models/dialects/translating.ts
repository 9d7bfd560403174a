/** Requests translated to the other dialect. */

import type { JsonObject } from '#core/kernel/json.ts';
import { translator } from '#core/models/dialects/translate/translate.ts';

export const toAnthropic = (body: JsonObject) => translator('openai', 'anthropic').request(body);
export const toOpenai = (body: JsonObject) => translator('anthropic', 'openai').request(body);
export const user = { role: 'user', content: 'hi' };
export const good = { model: 'm', messages: [user] };
