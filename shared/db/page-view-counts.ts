import { type RawBuilder, sql } from 'kysely';

/** What views are counted by: all of them, by path, by referring host, and by UTM triple. */
export type Dimension = 'total' | 'path' | 'referrer' | 'utm';

/** Views with one label in one dimension. Only `total`, whose label is empty, has visitors. */
interface ViewCount {
  dimension: Dimension;
  /** Of `utm`: source, medium and campaign as a JSON list. */
  label: string;
  views: number;
  visitors: number;
}

/** A count, with the day that a total is of. */
export type DayCount = ViewCount & { day: string | null };

/** SQL that counts the raw views that meet `condition`, those of one site and day, in one scan. Its columns are those of `ViewCount`. */
export const countViews = (condition: RawBuilder<unknown>) => sql`
  select dimension, label, sum(views)::integer as views, count(visitor)::integer as visitors from (
    select visitor, count(*) as views,
      case when grouping(visitor) = 0 then 'total' when grouping(path) = 0 then 'path'
        when grouping(referrer) = 0 then 'referrer' else 'utm' end as dimension,
      case when grouping(visitor) = 0 then '' when grouping(path) = 0 then path when grouping(referrer) = 0 then referrer
        when utm_source || utm_medium || utm_campaign <> '' then json_build_array(utm_source, utm_medium, utm_campaign)::text
        else '' end as label
    from page_views where ${condition}
    group by grouping sets ((visitor), (path), (referrer), (utm_source, utm_medium, utm_campaign))
  ) counted where dimension = 'total' or label <> '' group by dimension, label`;
