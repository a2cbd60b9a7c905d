import { Migration } from '@mikro-orm/migrations';

/**
 * Accents are taken out as before, but nothing is done for text whose only other signs are such as quotation marks, dashes and
 * emoji, or that is Japanese or Chinese: signs that neither have accents nor become others by what stands beside them.
 */
export class AccentsSooner extends Migration {
  override up() {
    this.addSql(`
create or replace function without_accents(value text) returns text language sql immutable parallel safe
  return case
    when octet_length(value) = length(value) or value !~ '[^${left}]' then value
    else take_accents(value)
  end`);
  }
}

const left =
  '\\x01-\\u00bf\\u2002-\\u203a\\u20a0-\\u20bf\\u3001-\\u3029\\u3030-\\u3098\\u309b-\\u9fff\\uff01-\\uffee\\ufe0f\\U0001f000-\\U0001faff';
