// Closes an open menu by Escape or a click elsewhere. Without a script its own button does.
const openMenus = () => document.querySelectorAll("details.menu[open]");
addEventListener("click", ({ target }) => {
  for (const menu of openMenus()) if (!menu.contains(target)) menu.open = false;
});
addEventListener("keydown", ({ key }) => {
  if (key !== "Escape") return;
  for (const menu of openMenus()) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});
