import { Migration } from '@mikro-orm/migrations';

/** Whether an event is awaited is asked when it happens: its statement may have begun long before, and waited. */
export class AwaitedEvents0190 extends Migration {
  override name = '0190-awaited-events';

  override up() {
    this.addSql(`
create function is_event_awaited(site text, patterns text[]) returns boolean language plpgsql as $$
begin
  return exists (select from webhook_subscriptions s where s.site_id = site and s.active and s.events && patterns);
end $$`);
  }
}
