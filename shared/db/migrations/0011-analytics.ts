import { Migration } from '@mikro-orm/migrations';

/** Page views: single views of recent days, and daily totals of finished days. */
export class Analytics extends Migration {
  override up() {
    this.addSql(views);
    this.addSql(days);
    this.addSql(labels);
    this.addSql(keepViewLabels);
  }
}

const views = `
-- One partition a day (UTC); a day is dropped as a whole. Partitions are made when first needed.
create table page_views (
  site_id text not null,
  day date not null,
  path text not null,
  referrer text not null,
  utm_source text not null,
  utm_medium text not null,
  utm_campaign text not null,
  visitor bigint not null
) partition by range (day);
create index page_views_site_idx on page_views (site_id, day);

-- What visitors are hashed with on one day. Thrown away afterwards, so that no hash can be traced back.
create table page_view_salts (
  day date not null,
  salt text not null,
  primary key (day)
);
`;

const days = `
-- Views of a finished day, counted by one dimension: total, path, referrer or utm (whose label is a JSON list). There is no
-- primary key: a label can be longer than an entry of an index may be. Rows come day by day, and go in the same order.
create table page_view_days (
  site_id text not null,
  day date not null,
  dimension text not null,
  label text not null,
  views integer not null,
  visitors integer not null
);
create index page_view_days_site_idx on page_view_days (site_id, dimension, day);
create index page_view_days_day_idx on page_view_days using brin (day);

create table page_view_rollups (
  day date not null,
  primary key (day)
);
`;

/* Labels (such as paths) that are stored for a site and day. Their number is limited, because visitors can send any label. */
const labels = `
create table page_view_labels (
  site_id text not null,
  day date not null,
  dimension text not null,
  hash bytea not null,
  primary key (site_id, day, dimension, hash)
);
create index page_view_labels_day_idx on page_view_labels using brin (day);

create table page_view_label_counts (
  site_id text not null,
  day date not null,
  dimension text not null,
  kept integer not null,
  primary key (site_id, day, dimension)
);
create index page_view_label_counts_day_idx on page_view_label_counts using brin (day);
`;

/*
 * Stores new labels until the site has `most` of them for the day. Returns the hashes of the given labels that are stored. A call
 * with new labels locks the count, so the limit is exact. If all labels are known or the limit is reached, nothing is written.
 */
const keepViewLabels = `
create function keep_view_labels(of_site text, of_day date, of_dimension text, hashes bytea[], most integer)
returns setof bytea language plpgsql as $$
declare
  known bytea[] := array(
    select hash from page_view_labels
    where site_id = of_site and day = of_day and dimension = of_dimension and hash = any(hashes)
  );
  fresh bytea[] := array(select unnest(hashes) except select unnest(known));
  room integer := most;
begin
  if cardinality(fresh) > 0 then
    select most - kept into room from page_view_label_counts
    where site_id = of_site and day = of_day and dimension = of_dimension;
  end if;
  if cardinality(fresh) > 0 and coalesce(room, most) > 0 then
    insert into page_view_label_counts as c (site_id, day, dimension, kept) values (of_site, of_day, of_dimension, 0)
    on conflict (site_id, day, dimension) do update set kept = c.kept returning most - kept into room;
    with added as (
      insert into page_view_labels (site_id, day, dimension, hash)
      select of_site, of_day, of_dimension, hash from unnest(fresh) hash limit greatest(room, 0)
      on conflict do nothing returning 1
    )
    update page_view_label_counts set kept = kept + (select count(*) from added)
    where site_id = of_site and day = of_day and dimension = of_dimension;
    known := array(
      select hash from page_view_labels
      where site_id = of_site and day = of_day and dimension = of_dimension and hash = any(hashes)
    );
  end if;
  return query select unnest(known);
end $$`;
