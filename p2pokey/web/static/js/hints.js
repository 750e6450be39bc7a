// Help, where the table has agreed on it.

import { act } from "./acting.js";
import { h } from "./dom.js";
import { replaceMelds } from "./hand.js";
import { number, signed, t } from "./i18n.js";
import { change, game, table } from "./store.js";
import { describe } from "./tile.js";

/** Whether this table has agreed on help, or nobody is there to mind. */
export const mayAskForHint = () => Boolean(table().solo || table().options?.assisted);

export async function askForHint() {
  await act({ do: "hint" }, { quiet: true });
  change({ panel: { kind: "hint" } });
}

/** Help on tables that have agreed on it: the best opening, what fits where, what a bot would do. */
export function hintPanel(close) {
  const { opening, playable = [] } = game()?.hints ?? {};
  const advice = table().advice;
  const fits = playable.filter((one) => one.places?.length);
  return h("div", { class: "stack-col" },
    opening?.melds.length ? [
      h("p", t("hint.opening", { total: number(opening.total), floor: game().floors.melds })),
      h("div.lane-melds", opening.melds.map((meld) => h("div.meld.mine", meld.map(tileOf)))),
      h("button.primary", { click: () => { replaceMelds(opening.melds); close(); } }, t("hint.use")),
    ] : null,
    fits.length ? h("ul.charges", fits.map((one) => h("li", tileOf(one.tile),
      one.places.map((place) => t("hint.fits", { tile: describe(one.tile, game().okey), n: place.meld + 1 })).join("; ")))) : null,
    advice ? h("p", t("hint.advice", { what: adviceText(advice) })) : null,
    !opening?.melds.length && !fits.length && !advice ? h("p", t("hint.none")) : null);
}

const tileOf = (tile) => h("okey-tile", { t: tile, okey: game().okey, class: "small", role: "img", "aria-label": describe(tile, game().okey) });

/** What an automatic player would do, and the figures behind it. */
function adviceText({ intent, why }) {
  const tile = intent.tile ?? intent.tiles?.[0] ?? why.tile;
  const what = [t(`do.${intent.do}`), tile ? describe(tile, game().okey) : "", why.value ?? ""];
  if (why.meld !== undefined) what.push(t("hint.meld", { n: why.meld + 1 }));
  if (why.charge) what.push(signed(why.charge));
  return what.filter((part) => part !== "").join(" · ");
}
