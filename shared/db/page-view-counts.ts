import { type RawBuilder, sql } from 'kysely';

/**
 * SQL that counts raw views which meet `condition`, by site and day: one `total` with its visitors, and the views of
 * each path, referrer and UTM triple (as a JSON list). The shape of `page_view_days`.
 */
export const countViews = (condition: RawBuilder<unknown>) => sql`
  select site_id, day, 'total' as dimension, '' as label, count(*)::integer as views, count(distinct visitor)::integer as visitors
  from page_views where ${condition} group by site_id, day
  union all
  select site_id, day, dimension, label, views, 0 from (
    select site_id, day, count(*)::integer as views,
      case when grouping(path) = 0 then 'path' when grouping(referrer) = 0 then 'referrer' else 'utm' end as dimension,
      case when grouping(path) = 0 then path when grouping(referrer) = 0 then referrer
        when utm_source || utm_medium || utm_campaign <> '' then json_build_array(utm_source, utm_medium, utm_campaign)::text
        else '' end as label
    from page_views where ${condition}
    group by grouping sets ((site_id, day, path), (site_id, day, referrer), (site_id, day, utm_source, utm_medium, utm_campaign))
  ) counted where label <> ''`;
