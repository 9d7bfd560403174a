/** The session that records a tenant's administrative actions of one UTC day. */
import { isoTime } from '#core/kernel/ports.ts';

/** Returns the id of the administrative session of a day. @param ms milliseconds since 1970 */
export const adminSession = (tenant: string, ms: number): string => `admin-${tenant}-${isoTime(ms).slice(0, 10)}`;
