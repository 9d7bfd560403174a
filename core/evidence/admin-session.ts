/** The session that records a tenant's administrative actions for one UTC day. */
import { isoTime } from '#core/kernel/ports.ts';

/** Returns the id of a day's administrative session. @param ms milliseconds since 1970 */
export const adminSession = (tenant: string, ms: number): string => `admin-${tenant}-${isoTime(ms).slice(0, 10)}`;
