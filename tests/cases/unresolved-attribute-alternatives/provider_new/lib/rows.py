from elsewhere import Cell
